// SPDX-License-Identifier: Apache-2.0

// Measured data by drag and drop: a file stays on this machine. Columns are laid over those of the runs, and
// a model is fitted to them.

import { columnOf, type Curve } from './charts';
import { call, type Column } from './core';
import { fill, h } from './dom';
import type { Lab } from './lab';
import { number, symbol, unitText, words } from './names';
import { get, type Value } from './scenario';

export class Measured {
  // By column of the runs: the column of the file, and the factor that makes it SI.
  readonly chosen = new Map<string, { column: number; factor: number }>();

  constructor(
    readonly file: string,
    readonly columns: Column[],
  ) {}

  values(name: string): Float64Array | null {
    const chosen = this.chosen.get(name);
    if (!chosen) return null;
    return this.columns[chosen.column].values.map((each) => each * chosen.factor);
  }

  // From its first instant on; rows without a time are left out.
  curve(): Curve {
    const columns: Column[] = [];
    const t = this.values('t');
    const isTimed = (_: number, i: number) => Number.isFinite(t![i]);
    const first = t?.find(Number.isFinite) ?? 0;
    for (const name of this.chosen.keys()) {
      const values = t && this.values(name)!.filter(isTimed);
      if (values) columns.push({ name, unit: name === 't' ? 's' : '', values: name === 't' ? values.map((each) => each - first) : values });
    }
    return { label: this.file, colour: getComputedStyle(document.documentElement).getPropertyValue('--ink').trim(), dash: [1, 3], columns, isMeasured: true };
  }
}

// The first guess: a column of the same name, or of a name that begins with it.
function guess(name: string, columns: Column[]): number {
  const plain = columns.map((each) => each.name.toLowerCase().replace(/[^a-z].*$/, ''));
  const alike: Record<string, string[]> = {
    t: ['t', 'time'],
    x: ['x', 'position', 'pos', 'displacement'],
    v: ['v', 'velocity', 'speed'],
    f: ['f', 'force', 'friction'],
  };
  return plain.findIndex((each) => (alike[name] ?? [name]).includes(each));
}

function csvText(columns: [string, Float64Array][]): string {
  const lines = [columns.map(([name]) => name).join(',')];
  for (let i = 0; i < columns[0][1].length; ++i) {
    const row = columns.map(([, values]) => values[i]);
    if (row.every(Number.isFinite)) lines.push(row.join(','));
  }
  return lines.join('\n') + '\n';
}

// Among more columns nobody can choose, and larger files do not fit into the page's memory.
const mostColumns = 1000;
const mostBytes = 100e6;

// Text of a file, in whatever encoding instruments and spreadsheets write it.
async function textOf(file: File): Promise<string> {
  if (file.size > mostBytes) throw new Error(`${file.name}: the file has ${(file.size / 1e6).toFixed(0)} MB, and the page reads ${mostBytes / 1e6} MB at most: leave rows out, or use asperity fit`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return new TextDecoder(a === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function measuredBox(lab: Lab): HTMLElement {
  const input = h('input', { type: 'file', accept: '.csv,.txt,.dat,text/csv', id: 'measured-file' });
  const place = h('div');
  const box = h(
    'div',
    { class: 'drop' },
    h('h2', {}, 'Measured data'),
    h('p', {}, 'Drop a CSV file here, or ', h('label', { for: 'measured-file', class: 'link' }, 'choose one'), '. It stays on this machine.', input),
    place,
  );
  const take = async (file: File) => {
    try {
      fill(place, h('p', {}, `Reading ${file.name} …`));
      const answer = await call('measured_columns', [await textOf(file), file.name]);
      if (answer.columns.length > mostColumns) throw new Error(`${file.name}: the file has ${answer.columns.length} columns, and the page lets choose among ${mostColumns} at most: leave columns out`);
      if (!answer.columns[0]?.values.length) throw new Error(`${file.name}: there are no rows of numbers in it`);
      const measured = new Measured(file.name, answer.columns);
      for (const name of ['t', 'x', 'v', 'f', 'p']) {
        const at = guess(name, answer.columns);
        if (at >= 0 && (name === 't' || lab.columnNames().includes(name))) measured.chosen.set(name, { column: at, factor: 1 });
      }
      if (!measured.chosen.has('t')) measured.chosen.set('t', { column: 0, factor: 1 });
      lab.measured = measured;
      show(measured);
      lab.refresh();
    } catch (problem) {
      lab.measured = null; // not what was there before, under the words for this file
      lab.refresh();
      fill(place, h('p', { class: 'problem', role: 'alert' }, (problem as Error).message));
    }
  };
  const show = (measured: Measured) => {
    const names = lab.columnNames();
    const row = (name: string) => {
      const chosen = measured.chosen.get(name);
      const select = h('select', { 'aria-label': `Column for ${words(name)}`, 'data-measured': name }, h('option', { value: -1 }, '–'), measured.columns.map((each, i) => h('option', { value: i, selected: chosen?.column === i }, each.name || `column ${i + 1}`)));
      const factor = h('input', { type: 'text', inputmode: 'decimal', value: chosen?.factor ?? 1, 'aria-label': `Factor for ${words(name)}`, size: 6 });
      const change = () => {
        const column = Number(select.value);
        if (column < 0) measured.chosen.delete(name);
        else measured.chosen.set(name, { column, factor: Number(factor.value) || 1 });
        lab.refresh();
      };
      select.addEventListener('change', change);
      factor.addEventListener('change', change);
      return h('tr', {}, h('th', { scope: 'row' }, symbol(name)), h('td', {}, select), h('td', {}, '× ', factor));
    };
    const found = h('div', { 'aria-live': 'polite' });
    fill(
      place,
      h('p', {}, `${measured.file}: ${measured.columns[0]?.values.length ?? 0} rows. Which column is which, and what makes it SI?`),
      h('table', { class: 'columns' }, names.map(row)),
      h(
        'p',
        { class: 'buttons' },
        lab.shown.map((each, i) => h('button', { onclick: () => void fit(measured, i, found) }, `Fit ${each.label}`)),
        h('button', { class: 'quiet', onclick: () => {
          lab.measured = null;
          fill(place);
          lab.refresh();
        } }, 'Remove the data'),
      ),
      found,
    );
  };
  const fit = async (measured: Measured, i: number, found: HTMLElement) => {
    const run = lab.state.runs[i];
    const table = lab.shown[i].document[lab.table] as Record<string, Value>;
    const t = measured.values('t');
    const f = measured.values('f');
    const motion = (['v', 'x'] as const).find((name) => measured.chosen.has(name));
    if (!t || !f || !motion) {
      fill(found, h('p', { class: 'problem' }, 'A fit needs columns for t, f, and x or v.'));
      return;
    }
    const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress of the fit' });
    fill(found, h('p', {}, 'Fitting … ', bar));
    try {
      const settings = Object.entries(table).filter(([name, value]) => !['model', 'curve'].includes(name) && typeof value === 'number').map(([name, value]) => `${name}=${value}`);
      const answer = await call('fit_model', [String(table.model), String(get(lab.shown[i].document, `${lab.table}.curve`) ?? ''), settings, csvText([['t', t], [motion, measured.values(motion)!], ['f', f]]), 12, 'PROGRESS'], { group: 'fit', progress: (share) => (bar.value = share) });
      const result = answer.json;
      fill(
        found,
        h('p', {}, `${lab.shown[i].label}: ${result.how}; residual ${number(result.rms)} N rms, ${number((100 * result.rms) / result.deviation, 3)} % of the standard deviation of the measured force.`),
        h(
          'table',
          { class: 'estimates' },
          h('tr', {}, ['', 'value', '95 % interval', ''].map((each) => h('th', {}, each))),
          result.estimates.map((each: any) =>
            h('tr', {}, h('th', { scope: 'row' }, symbol(each.name), ' ', h('span', { class: 'unit' }, unitText(each.unit))), h('td', {}, number(each.value)), h('td', {}, each.lower === null && each.upper === null ? '–' : `${each.lower === null ? '–∞' : number(each.lower, 5)} to ${each.upper === null ? '∞' : number(each.upper, 5)}`), h('td', {}, each.words)),
          ),
        ),
        h('button', { onclick: () => {
          for (const each of result.estimates) {
            if (columnOf(answer.columns, each.name) === undefined && !/^(offset|gain|delay|stiffness)/.test(each.name)) run.set[`${lab.table}.${each.name}`] = each.value;
          }
          void lab.rebuild();
        } }, 'Use these values'),
      );
    } catch (problem) {
      fill(found, h('p', { class: 'problem', role: 'alert' }, (problem as Error).message));
    }
  };
  input.addEventListener('change', () => {
    if (input.files?.[0]) void take(input.files[0]);
  });
  // Anywhere in the lab: a browser would open a file that misses the box in place of the page.
  lab.element.addEventListener('dragover', (event) => {
    event.preventDefault();
    box.classList.add('over');
  });
  lab.element.addEventListener('dragleave', () => box.classList.remove('over'));
  lab.element.addEventListener('drop', (event) => {
    event.preventDefault();
    box.classList.remove('over');
    const file = (event as DragEvent).dataTransfer?.files[0];
    if (!file) return;
    box.scrollIntoView({ block: 'nearest' });
    void take(file);
  });
  return box;
}
