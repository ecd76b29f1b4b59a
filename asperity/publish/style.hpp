// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace asperity {

// The style of every page of a report: one column on a phone, light or dark as the reader's system,
// light on paper. Colours of lines are the same in all plots and legends.
inline constexpr const char* report_style = R"css(
:root { color-scheme: light dark; --text: #1d2327; --quiet: #5b666e; --paper: #ffffff; --soft: #f3f5f7;
  --rule: #d9dee2; --grid: #e3e6e9; --link: #14558f; --good: #17692f; --bad: #b00020; --known: #855400;
  --s0: #1f5fa8; --s1: #d1672a; --s2: #2f8a45; --s3: #8a4fa0; --s4: #6f7378; --s5: #b8336a; --s6: #1f9494;
  --s7: #94800f; --s8: #6b4423; --s9: #5b9bdd; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e7ea; --quiet: #a3adb4; --paper: #14181b;
  --soft: #1f252a; --rule: #39424a; --grid: #2c343a; --link: #7fb7ee; --good: #6fcf8a; --bad: #ff7b86;
  --known: #e3b04b; --s0: #6ba6ec; --s1: #f0935c; --s2: #6cc482; --s3: #c193d6; --s4: #b0b6bb; --s5: #ec7fa9;
  --s6: #5ccccc; --s7: #d0bd4f; --s8: #c79a72; --s9: #a9cdf5; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--text);
  background: var(--paper); margin: 0 auto; max-width: 76rem; padding: 0 1rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.65rem; line-height: 1.2; margin: 1.2rem 0 0.4rem; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 2.2rem 0 0.6rem; padding-top: 0.8rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.4rem 0 0.4rem; }
p, ul { max-width: 48rem; } ul { padding-left: 1.3rem; } a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0.7rem 0; border-bottom: 1px solid var(--rule); font-size: 0.92rem; }
.quiet { color: var(--quiet); }
code, pre { font: 0.88em/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; background: var(--soft); border-radius: 3px; }
code { padding: 0.08em 0.3em; } pre { padding: 0.7rem 0.9rem; margin: 0; }
.wide { overflow-x: auto; max-width: 100%; margin: 0.6rem 0 1rem; }
table { border-collapse: collapse; font-size: 0.92rem; }
.full { width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--quiet); } td.number, th.number { text-align: right; white-space: nowrap; }
td.claim { min-width: 15rem; } td.says { min-width: 12rem; color: var(--quiet); } td.name { white-space: nowrap; }
.met { color: var(--good); } .failed { color: var(--bad); font-weight: 700; } .explained { color: var(--known); }
.skipped { color: var(--quiet); }
.equations td { border: 0; padding: 0.3rem 1.6rem 0.3rem 0; white-space: nowrap; }
.equations td + td { color: var(--quiet); font-size: 0.88rem; vertical-align: middle; }
.equations td > span { margin-right: 1.4em; } .equations td.indented { padding-left: 2rem; } .equations .gap td { padding: 0.25rem; }
math { font-size: 1.08em; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1.4rem; margin: 1rem 0; }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; margin-bottom: 0.2rem; }
figure svg { display: block; width: 100%; height: auto; max-width: 46rem; }
.gridline { stroke: var(--grid); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.1rem; padding: 0; margin: 0.2rem 0 0; font-size: 0.88rem; }
.legend i { display: inline-block; width: 1.5em; height: 0; border: solid; border-width: 3px 0 0; vertical-align: middle; margin-right: 0.45em; }
.series-0 { stroke: var(--s0); } .legend .series-0 { border-color: var(--s0); } .series-1 { stroke: var(--s1); } .legend .series-1 { border-color: var(--s1); }
.series-2 { stroke: var(--s2); } .legend .series-2 { border-color: var(--s2); } .series-3 { stroke: var(--s3); } .legend .series-3 { border-color: var(--s3); }
.series-4 { stroke: var(--s4); } .legend .series-4 { border-color: var(--s4); } .series-5 { stroke: var(--s5); } .legend .series-5 { border-color: var(--s5); }
.series-6 { stroke: var(--s6); } .legend .series-6 { border-color: var(--s6); } .series-7 { stroke: var(--s7); } .legend .series-7 { border-color: var(--s7); }
.series-8 { stroke: var(--s8); } .legend .series-8 { border-color: var(--s8); } .series-9 { stroke: var(--s9); } .legend .series-9 { border-color: var(--s9); }
.index { table-layout: fixed; } .index td:first-child, .index th:first-child { width: 8.5rem; }
.index td:last-child, .index th:last-child { width: 13rem; }
.tally { display: flex; flex-wrap: wrap; gap: 0.3rem 1.6rem; padding: 0; list-style: none; font-size: 1.02rem; }
.tally b { font-size: 1.4rem; margin-right: 0.25em; }
.models { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 0 1.6rem; max-width: none; }
@media (max-width: 40rem) { body { padding: 0 0.8rem 2rem; } h1 { font-size: 1.35rem; } h2 { font-size: 1.12rem; } table { font-size: 0.86rem; }
  .index td:first-child, .index th:first-child { width: 6.2rem; } .index td:last-child, .index th:last-child { width: 6.4rem; }
  .index td { min-width: 0; } .index td.name { white-space: normal; } }
@media print { :root { color-scheme: light; --text: #000; --quiet: #444; --paper: #fff; --soft: #f3f3f3; --rule: #bbb; --grid: #ddd;
  --link: #000; --good: #17692f; --bad: #b00020; --known: #855400; --s0: #1f5fa8; --s1: #d1672a; --s2: #2f8a45; --s3: #8a4fa0;
  --s4: #6f7378; --s5: #b8336a; --s6: #1f9494; --s7: #94800f; --s8: #6b4423; --s9: #5b9bdd; }
  body { font-size: 10.5pt; max-width: none; padding: 0; } nav { display: none; } a { text-decoration: none; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } .wide { overflow: visible; } table { font-size: 8.5pt; }
  .figures { grid-template-columns: 1fr 1fr; } td.claim, td.says { min-width: 0; } }
)css";

}  // namespace asperity
