// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace asperity {

// The style of every page of the report and of the documentation: one column on a phone, light or dark
// as the reader's system, light on paper. Colours of lines are the same in all plots and legends;
// neighbours differ in lightness, too, for those who see few colours.
inline constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --text: #1d2327; --quiet: #58636b; --paper: #ffffff; --soft: #f3f5f7;
  --rule: #d9dee2; --grid: #e3e6e9; --link: #0b5a94; --good: #17692f; --bad: #b00020; --known: #855400;
  --s0: #0a66a8; --s1: #d55e00; --s2: #00876b; --s3: #b0508f; --s4: #5f666b; --s5: #d08a00; --s6: #3f9fdb;
  --s7: #7a6a00; --s8: #6b3f1d; --s9: #8b8fd8; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e7ea; --quiet: #a3adb4; --paper: #14181b;
  --soft: #1f252a; --rule: #39424a; --grid: #2c343a; --link: #7fc0f2; --good: #6fcf8a; --bad: #ff7b86;
  --known: #e3b04b; --s0: #56b0ee; --s1: #f58a45; --s2: #3fc9a5; --s3: #dc93c4; --s4: #b0b6bb; --s5: #f0b840;
  --s6: #a5d8f7; --s7: #c9b84a; --s8: #c8936b; --s9: #b6b9f2; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--text);
  background: var(--paper); margin: 0 auto; max-width: 76rem; padding: 0 1rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 1.4rem 0 0.4rem; letter-spacing: -0.01em; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 2.2rem 0 0.6rem; padding-top: 0.8rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.4rem 0 0.4rem; }
p, ul, ol { max-width: 48rem; } ul, ol { padding-left: 1.3rem; } a { color: var(--link); }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 1.6rem; padding: 0.7rem 0; border-bottom: 1px solid var(--rule); position: relative; }
.home { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 700; font-size: 1.08rem; color: var(--text); text-decoration: none; }
.logo { width: 1.7rem; height: 1.7rem; flex: none; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.94rem; }
nav a { text-decoration: none; } nav a:hover { text-decoration: underline; } nav a[aria-current] { color: var(--text); font-weight: 600; }
.quiet { color: var(--quiet); }
code, pre { font: 0.88em/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; background: var(--soft); border-radius: 3px; }
code { padding: 0.08em 0.3em; } pre { padding: 0.7rem 0.9rem; margin: 0; } pre code { padding: 0; background: none; font-size: 1em; }
.wide { overflow-x: auto; max-width: 100%; margin: 0.6rem 0 1rem; position: relative; }
table { border-collapse: collapse; font-size: 0.92rem; }
.full { width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--quiet); } td.number, th.number { text-align: right; white-space: nowrap; }
td.claim { min-width: 15rem; } td.says { min-width: 12rem; color: var(--quiet); } td.name, .whole { white-space: nowrap; }
.met { color: var(--good); } .failed { color: var(--bad); font-weight: 700; } .explained { color: var(--known); }
.skipped { color: var(--quiet); }
.equations td { border: 0; padding: 0.3rem 1.6rem 0.3rem 0; white-space: nowrap; }
.equations td + td { color: var(--quiet); font-size: 0.88rem; vertical-align: middle; }
.equations td > span { margin-right: 1.4em; } .equations td.indented { padding-left: 2rem; } .equations .gap td { padding: 0.25rem; }
math { font-size: 1.08em; } /* where there is no mathematical font: lowers indices, lifts the dot of a derivative off its letter, and lets primes be seen */
msub > :nth-child(2), msubsup > :nth-child(2) { padding-top: 0.16em; } mover > mo { padding-bottom: 0.13em; } msup > mo, msubsup > mo { font-size: 1.3em; position: relative; top: 0.25em; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.4rem; margin: 1rem 0; }
.figures.three { grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; margin-bottom: 0.2rem; }
figure svg, figure img { display: block; width: 100%; height: auto; max-width: 46rem; }
figure p { margin: 0.3rem 0 0; font-size: 0.9rem; }
img { max-width: 100%; height: auto; } img.on-white { background: #fff; border-radius: 4px; }
.gridline { stroke: var(--grid); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.1rem; padding: 0; margin: 0.2rem 0 0; font-size: 0.88rem; }
.legend i { display: inline-block; width: 1.7em; height: 0; border: solid; border-width: 3px 0 0; vertical-align: middle; margin-right: 0.45em; }
.legend i.dashed { border-style: dashed; }
.series-0 { stroke: var(--s0); } .legend .series-0 { border-color: var(--s0); } .series-1 { stroke: var(--s1); } .legend .series-1 { border-color: var(--s1); }
.series-2 { stroke: var(--s2); } .legend .series-2 { border-color: var(--s2); } .series-3 { stroke: var(--s3); } .legend .series-3 { border-color: var(--s3); }
.series-4 { stroke: var(--s4); } .legend .series-4 { border-color: var(--s4); } .series-5 { stroke: var(--s5); } .legend .series-5 { border-color: var(--s5); }
.series-6 { stroke: var(--s6); } .legend .series-6 { border-color: var(--s6); } .series-7 { stroke: var(--s7); } .legend .series-7 { border-color: var(--s7); }
.series-8 { stroke: var(--s8); } .legend .series-8 { border-color: var(--s8); } .series-9 { stroke: var(--s9); } .legend .series-9 { border-color: var(--s9); }
.stamp { display: block; width: 7.5rem; height: 5rem; background: var(--soft); border-radius: 4px; }
.index { table-layout: fixed; } .index td:first-child, .index th:first-child { width: 8.6rem; }
.index td:nth-child(2), .index th:nth-child(2) { width: 8.5rem; } .index td:last-child, .index th:last-child { width: 13rem; }
.tally { display: flex; flex-wrap: wrap; gap: 0.3rem 1.6rem; padding: 0; list-style: none; font-size: 1.02rem; }
.tally b { font-size: 1.4rem; margin-right: 0.25em; }
.models { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 0 1.6rem; max-width: none; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 0.9rem; list-style: none; padding: 0; max-width: none; margin: 1rem 0; }
.cards.start { grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); }
.cards > li { border: 1px solid var(--rule); border-radius: 8px; padding: 0.8rem 1rem; }
.cards b { display: block; } .cards p { margin: 0.3rem 0 0; font-size: 0.92rem; color: var(--quiet); }
.cards .stamp { float: right; margin: 0 0 0.4rem 0.8rem; width: 5.4rem; height: 3.6rem; }
.lead { font-size: 1.15rem; max-width: 46rem; }
.yes { color: var(--good); font-weight: 700; } .no { color: var(--quiet); }
.catalogue td { font-size: 0.9rem; } .catalogue .stamp { width: 6rem; height: 4rem; }
.contents { columns: 2 16rem; max-width: none; font-size: 0.94rem; }
.source { border-left: 3px solid var(--rule); padding-left: 0.8rem; }
details { margin: 0.5rem 0; } summary { cursor: pointer; color: var(--link); } details.code > summary { font-weight: 600; }
dl.reference > dt { margin-top: 1.1rem; } dl.reference > dd { margin: 0.2rem 0 0 1.2rem; }
.search { margin-left: auto; position: relative; } .search input { font: inherit; font-size: 0.94rem; padding: 0.25rem 0.6rem; width: 13rem; max-width: 100%;
  color: var(--text); background: var(--soft); border: 1px solid var(--rule); border-radius: 6px; }
.found { position: absolute; right: 0; top: 2.4rem; z-index: 5; width: min(32rem, 92vw); max-height: 70vh; overflow-y: auto; margin: 0; padding: 0.3rem 0;
  list-style: none; background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; box-shadow: 0 6px 24px rgba(0, 0, 0, 0.25); }
.found a { display: block; padding: 0.4rem 0.9rem; text-decoration: none; } .found a:hover, .found a:focus { background: var(--soft); }
.found small { display: block; color: var(--quiet); }
.copy { position: absolute; top: 0.35rem; right: 0.4rem; font: inherit; font-size: 0.78rem; padding: 0.1rem 0.5rem; color: var(--quiet); background: var(--paper);
  border: 1px solid var(--rule); border-radius: 4px; cursor: pointer; opacity: 0; } .wide:hover .copy, .copy:focus { opacity: 1; }
@media (max-width: 44rem) { body { padding: 0 0.8rem 2rem; } h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; } table { font-size: 0.88rem; }
  .equations td + td { white-space: normal; } .equations td { padding-right: 0.8rem; }
  .search { margin-left: 0; width: 100%; } .search input { width: 100%; } .found { left: 0; right: auto; width: 100%; }
  table.stack, table.stack tbody, table.stack tr, table.stack td { display: block; width: auto !important; min-width: 0 !important; }
  table.stack tr { border-bottom: 1px solid var(--rule); padding: 0.6rem 0; } table.stack td { border: 0; padding: 0.1rem 0; white-space: normal; text-align: left; }
  table.stack tr:has(th) { display: none; } table.stack td[data-column]:not([data-column=""])::before { content: attr(data-column) ": "; color: var(--quiet); font-size: 0.92em; }
  table.stack td:empty { display: none; } table.stack .stamp { width: 9rem; height: 6rem; } }
@media print { :root { color-scheme: light; --text: #000; --quiet: #444; --paper: #fff; --soft: #f3f3f3; --rule: #bbb; --grid: #ddd;
  --link: #000; --good: #17692f; --bad: #b00020; --known: #855400; --s0: #0a66a8; --s1: #d55e00; --s2: #00876b; --s3: #b0508f;
  --s4: #5f666b; --s5: #d08a00; --s6: #3f9fdb; --s7: #7a6a00; --s8: #6b3f1d; --s9: #8b8fd8; }
  body { font-size: 10.5pt; max-width: none; padding: 0; } nav, .search, .copy { display: none; } a { text-decoration: none; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } .wide { overflow: visible; } table { font-size: 8.5pt; }
  .figures { grid-template-columns: 1fr 1fr; } td.claim, td.says { min-width: 0; } }
)css";

}  // namespace asperity
