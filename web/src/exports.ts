// SPDX-License-Identifier: Apache-2.0

// What a visitor takes along: the link, numbers, pictures, and the same run for the command line, C++ and
// Python.

import { svgOf } from './charts';
import { download, h } from './dom';
import type { Lab } from './lab';
import { toToml } from './scenario';
import { toHash } from './state';

const fileName = (label: string) => label.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'run';

export function csvOf(lab: Lab): string {
  const lines: string[] = [];
  const runs = lab.shown.filter((each) => each.answer);
  lines.push(['run', ...lab.columnNames()].join(','));
  for (const run of runs) {
    const columns = lab.columnNames().map((name) => run.answer!.columns.find((each) => each.name === name)?.values);
    const rows = run.answer!.columns[0].values.length;
    const label = /[",\r\n]/.test(run.label) ? `"${run.label.replaceAll('"', '""')}"` : run.label;
    for (let i = 0; i < rows; ++i) lines.push([label, ...columns.map((each) => (each ? each[i] : ''))].join(','));
  }
  return lines.join('\n') + '\n';
}

function commandLine(text: string): string {
  return `cat > scenario.toml <<'END'\n${text}END\nasperity run scenario.toml\n`;
}

function cpp(text: string): string {
  let end = 'toml'; // what ends the text must not stand in it
  while (text.includes(`)${end}"`)) end += '_';
  return `#include <asperity/asperity.hpp>
#include <cstdio>

const char* const text = R"${end}(
${text})${end}";

int main() {
  using namespace asperity;
  const scenario s = read_scenario(parse_toml(text, "scenario.toml"), "scenario", "");
  const run_data run = simulate(s);
  std::printf("%s after %ld steps\\n", to_string(run.result.how), run.result.steps);
  std::fputs(series_csv(run).c_str(), stdout);
}
`;
}

function python(text: string): string {
  return `import asperity

run = asperity.run(r"""
${text}""")
print(run)
run.plot()
`;
}

async function png(lab: Lab, title: string) {
  const svg = svgOf(title, lab.panelChoices(), lab.curves());
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h('canvas', { width: image.width * 2, height: image.height * 2 });
  const ctx = canvas.getContext('2d')!;
  ctx.scale(2, 2);
  ctx.drawImage(image, 0, 0);
  canvas.toBlob((blob) => blob && download('asperity.png', blob));
}

// A text with a button that copies it.
export function copied(text: string): HTMLElement {
  const button = h('button', { class: 'quiet', onclick: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  } }, 'Copy');
  return h('div', { class: 'code' }, button, h('pre', { tabindex: 0 }, h('code', {}, text)));
}

export function exportsOf(lab: Lab): Node[] {
  const runs = lab.shown.filter((each) => each.answer);
  if (!runs.length) return [];
  const title = lab.title();
  const open = new Set([...lab.element.querySelectorAll<HTMLDetailsElement>('.take details[open]')].map((each) => each.dataset.text));
  const which = h('select', { 'aria-label': 'Run to export' }, runs.map((each, i) => h('option', { value: i }, each.label)));
  const texts = h('div', { class: 'texts' });
  const showTexts = () => {
    const text = toToml(runs[Number(which.value)].document);
    const parts: [string, string][] = [
      ['Scenario file', text],
      ['Command line', commandLine(text)],
      ['C++', cpp(text)],
      ['Python', python(text)],
    ];
    texts.replaceChildren(...parts.map(([name, content]) => {
      const details = h('details', { 'data-text': name }, h('summary', {}, name));
      const unfold = () => {
        if (details.open && details.childElementCount === 1) details.append(copied(content));
      };
      details.addEventListener('toggle', unfold);
      details.open = open.has(name);
      unfold();
      return details;
    }));
  };
  which.addEventListener('change', () => {
    open.clear();
    texts.querySelectorAll<HTMLDetailsElement>('details[open]').forEach((each) => open.add(each.dataset.text));
    showTexts();
  });
  showTexts();
  const link = h('button', { onclick: async () => {
    const address = location.href.replace(/#.*/, '') + (await toHash({ ...lab.state, time: lab.time || null }));
    await navigator.clipboard.writeText(address);
    link.textContent = 'Link copied';
    setTimeout(() => (link.textContent = 'Copy link'), 1500);
  } }, 'Copy link');
  return [
    h('h2', {}, 'Take it along'),
    h(
      'p',
      { class: 'buttons' },
      link,
      h('button', { onclick: () => download('asperity.csv', csvOf(lab), 'text/csv') }, 'CSV'),
      h('button', { onclick: () => download('asperity.svg', svgOf(title, lab.panelChoices(), lab.curves()), 'image/svg+xml') }, 'SVG'),
      h('button', { onclick: () => void png(lab, title) }, 'PNG'),
      h('button', { onclick: () => download(`${fileName(runs[Number(which.value)].label)}.toml`, toToml(runs[Number(which.value)].document)) }, 'Scenario'),
      h('button', { onclick: () => print() }, 'Print'),
    ),
    h('p', {}, runs.length > 1 ? 'The same run elsewhere: ' : 'The same run elsewhere', runs.length > 1 ? which : ''),
    texts,
  ];
}
