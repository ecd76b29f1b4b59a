// SPDX-License-Identifier: Apache-2.0

// What an experiment tabulates in place of motions (restitution over speed, a curve and its image): pictures of
// its panels.

import { colourOf, columnOf, dashes } from './charts';
import { call, type Column } from './core';
import { h } from './dom';
import { number, withUnit } from './names';

export interface TablePanel {
  title: string;
  x: string;
  y: string[];
  x_log: boolean;
  y_log: boolean;
  x_range: [number, number]; // the part to show; all of it where they are equal
  times: [number, number]; // what is drawn of a value
  runs: string[];
}
interface Table {
  label: string;
  columns: Column[];
  name: string;
}
interface Line {
  label: string;
  x: Column;
  y: Column;
}

export async function tablesOf(id: string, group = ''): Promise<Table[]> {
  const answer = await call<{ name: string; label: string }[]>('experiment_tables', [id], { group });
  return answer.json.map(({ name, label }, i) => ({ name, label: label || name, columns: answer.tables![i] }));
}

function linesOf(panel: TablePanel, tables: Table[]): Line[] {
  const of = panel.runs.length ? tables.filter((each) => panel.runs.includes(each.name)) : tables;
  return of.flatMap(({ label, columns }) =>
    panel.y.flatMap((name) => {
      const [x, y] = [columnOf(columns, panel.x || columns[0].name), columnOf(columns, name)];
      return x && y ? [{ label: panel.y.length > 1 ? (of.length > 1 ? `${label}, ${name}` : name) : label, x, y }] : [];
    }),
  );
}

// Lines of the same colour differ in their dashes.
const dashOf = (i: number) => dashes[(i + Math.floor(i / dashes.length)) % dashes.length].join(' ');

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// Round numbers between two ends; of a logarithmic axis the powers of ten, or some of them.
export function marksOf(low: number, high: number, isLog: boolean): number[] {
  const list: number[] = [];
  if (isLog) {
    const every = Math.ceil((high - low) / 6);
    for (let k = Math.ceil(low - 1e-9); k <= high + 1e-9; ++k) if (k % every === 0) list.push(k);
    return list;
  }
  const raw = (high - low) / 5;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= raw) ?? raw;
  const first = Math.ceil(low / step);
  for (let n = 0; n < 12 && (first + n) * step <= high + 1e-9 * step; ++n) list.push((first + n) * step);
  return list;
}

// `isSmall`: a thumbnail, lines alone.
function svgOf(panel: TablePanel, lines: Line[], isSmall: boolean): string {
  const [width, height] = isSmall ? [200, 100] : [460, 270];
  const [left, right, top, below] = isSmall ? [4, 4, 4, 4] : [58, 22, 8, 42];
  const shown = (value: number, times: number, isLog: boolean) => (isLog ? (times * value > 0 ? Math.log10(times * value) : NaN) : times * value);
  const points = lines.map(({ x, y }) => {
    const list: [number, number][] = [];
    const [from, to] = panel.x_range;
    for (let i = 0; i < Math.min(x.values.length, y.values.length); ++i) {
      if (from < to && !(x.values[i] >= from && x.values[i] <= to)) continue;
      list.push([shown(x.values[i], panel.times[0], panel.x_log), shown(y.values[i], panel.times[1], panel.y_log)]);
    }
    return list;
  });
  const ends = (axis: 0 | 1): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const list of points) for (const each of list) if (Number.isFinite(each[axis])) [low, high] = [Math.min(low, each[axis]), Math.max(high, each[axis])];
    if (!(low <= high)) return [0, 1];
    const room = axis === 0 ? 0 : 0.05 * (high - low);
    // What differs by rounding alone is drawn as one value.
    const size = Math.max(Math.abs(low), Math.abs(high));
    return high - low <= 1e-9 * size || low === high ? [low - 0.5 * Math.max(1, size), high + 0.5 * Math.max(1, size)] : [low - room, high + room];
  };
  const [[x0, x1], [y0, y1]] = [ends(0), ends(1)];
  const px = (x: number) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
  const py = (y: number) => height - below - ((y - y0) / (y1 - y0)) * (height - below - top);
  const parts: string[] = [];
  if (!isSmall) {
    const told = (value: number, isLog: boolean) => number(isLog ? 10 ** value : value, 4);
    for (const each of marksOf(x0, x1, panel.x_log)) {
      parts.push(`<path class="grid" d="M${px(each).toFixed(1)} ${top}V${height - below}"/><text x="${px(each).toFixed(1)}" y="${height - below + 15}" text-anchor="middle">${told(each, panel.x_log)}</text>`);
    }
    for (const each of marksOf(y0, y1, panel.y_log)) {
      parts.push(`<path class="grid" d="M${left} ${py(each).toFixed(1)}H${width - right}"/><text x="${left - 6}" y="${(py(each) + 4).toFixed(1)}" text-anchor="end">${told(each, panel.y_log)}</text>`);
    }
    const first = lines[0];
    parts.push(`<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">${escaped(withUnit(first.x.name, first.x.unit))}</text>`);
    parts.push(`<text transform="translate(13 ${(height - below + top) / 2}) rotate(-90)" text-anchor="middle">${escaped(panel.y.length > 1 ? '' : withUnit(first.y.name, first.y.unit))}</text>`);
  }
  points.forEach((list, i) => {
    let path = '';
    let isDown = false;
    const step = isSmall ? Math.max(1, Math.floor(list.length / 400)) : 1;
    for (let k = 0; k < list.length; k += step) {
      const [x, y] = list[k];
      if (Number.isFinite(x) && Number.isFinite(y)) path += `${isDown ? 'L' : 'M'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`;
      isDown = Number.isFinite(x) && Number.isFinite(y);
    }
    parts.push(`<path d="${path}" fill="none" stroke="${colourOf(i)}" stroke-width="${isSmall ? 1.3 : 1.8}" stroke-dasharray="${dashOf(i)}"/>`);
  });
  return `<svg viewBox="0 0 ${width} ${height}" ${isSmall ? 'preserveAspectRatio="none"' : 'class="table-plot"'} aria-hidden="true">${parts.join('')}</svg>`;
}

export function tableThumbnail(panels: TablePanel[], tables: Table[]): string {
  for (const panel of panels) {
    const lines = linesOf(panel, tables);
    if (lines.length) return svgOf(panel, lines, true);
  }
  return '';
}

// One figure for each panel that tables have the columns of.
export function tableFigures(panels: TablePanel[], tables: Table[]): HTMLElement {
  const figures = panels.flatMap((panel) => {
    const lines = linesOf(panel, tables);
    if (!lines.length) return [];
    const key = lines.map((each, i) => h('span', {}, h('span', { class: 'key', 'aria-hidden': 'true', html: `<svg width="26" height="8"><path d="M1 4h24" stroke="${colourOf(i)}" stroke-width="2" stroke-dasharray="${dashOf(i)}"/></svg>` }), ' ', each.label));
    const words = `${panel.title}: ${lines.map((each) => each.label).join(', ')}`;
    return [h('figure', { class: 'panel table-figure' }, h('header', {}, h('figcaption', {}, panel.title)), h('div', { role: 'img', 'aria-label': words, html: svgOf(panel, lines, false) }), h('p', { class: 'readout' }, key))];
  });
  return h('section', { class: 'figures', 'aria-label': 'Tables' }, figures);
}
