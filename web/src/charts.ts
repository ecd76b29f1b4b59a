// SPDX-License-Identifier: Apache-2.0

// Curves: over time, or one column over another. Runs differ in colour and in dashes, so that curves that
// lie on each other can both be seen.

import uPlot from 'uplot';
import { h } from './dom';
import { number, symbol, symbolText, withUnit } from './names';
import type { Column } from './core';

export interface Curve {
  label: string;
  colour: string;
  dash: number[];
  columns: Column[];
  places?: Column[]; // of grains, for the sketch alone
  isMeasured?: boolean;
}

// Okabe and Ito's colours, which people with any colour vision tell apart; lighter ones on dark ground.
const light = ['#0072b2', '#d55e00', '#009e73', '#cc5f9a', '#b58900', '#3a9fd8'];
const dark = ['#4ba3dd', '#ff8c42', '#2fc99b', '#e58fbf', '#e6b93c', '#86d0f5'];
export const dashes = [[], [9, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2, 6, 2]];
export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
export const colourOf = (i: number) => (isDark() ? dark : light)[i % light.length];

// The least and the greatest value; lists do not change once a run is done.
const extremes = new WeakMap<Float64Array, [number, number]>();
export function extremesOf(list: Float64Array): [number, number] {
  let found = extremes.get(list);
  if (!found) {
    found = [Infinity, -Infinity];
    for (const each of list) {
      if (each < found[0]) found[0] = each;
      if (each > found[1]) found[1] = each;
    }
    extremes.set(list, found);
  }
  return found;
}

export const columnOf = (columns: Column[], name: string) => columns.find((each) => each.name === name);

// The value of a column at an instant, by straight lines.
export function valueAt(t: Float64Array, y: Float64Array, at: number): number {
  const n = Math.min(t.length, y.length);
  if (n === 0) return NaN;
  if (at <= t[0]) return y[0];
  if (at >= t[n - 1]) return y[n - 1];
  let low = 0;
  let high = n - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= at) low = middle;
    else high = middle;
  }
  const span = t[high] - t[low];
  return span > 0 ? y[low] + ((at - t[low]) / span) * (y[high] - y[low]) : y[high];
}

// Colours of the page, read once per theme: asking for them is slow.
let known: { theme: string; soft: string; paper: string } | null = null;
function palette() {
  const theme = String(isDark());
  if (known?.theme !== theme) known = { theme, soft: css('--ink-soft'), paper: css('--paper') };
  return known;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function extent(lists: Float64Array[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    const [least, greatest] = extremesOf(list);
    low = Math.min(low, least);
    high = Math.max(high, greatest);
  }
  if (!(low <= high)) return [0, 1];
  if (low === high) {
    const size = Math.abs(low) || 1;
    return [low - 0.1 * size, high + 0.1 * size];
  }
  return [low, high];
}
const padded = ([low, high]: [number, number], by = 0.06): [number, number] => [low - by * (high - low), high + by * (high - low)];

const sync = uPlot.sync('time');

export class Panel {
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private curves: Curve[] = [];
  private time = 0;
  private readonly place = h('div', { class: 'plot' });
  private readonly readout = h('p', { class: 'readout', 'aria-hidden': 'true' });
  private readonly caption = h('figcaption');
  private readonly observer: ResizeObserver;
  private shape = '';
  private isZoomed = false;
  private readonly marks = h('canvas', { class: 'marks' });

  constructor(
    readonly x: string,
    readonly y: string,
    private readonly choose: (time: number) => void,
    // Fields that choose the columns, in place of their names, and buttons.
    fields: { y: HTMLElement; x: HTMLElement } | null = null,
    buttons: HTMLElement[] = [],
  ) {
    this.caption.append(fields?.y ?? symbol(y), h('span', { class: 'over' }, 'over'), fields?.x ?? (this.isTime ? 'time' : symbol(x)));
    this.element = h(
      'figure',
      { class: 'panel', tabindex: 0, 'data-panel': `${x}/${y}` },
      h('header', {}, this.caption, h('div', { class: 'panel-buttons' }, ...buttons)),
      this.place,
      this.readout,
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.place);
    this.element.addEventListener('keydown', (event) => this.key(event));
  }

  resize() {
    this.plot?.setSize(this.size());
  }

  private size() {
    return { width: Math.max(160, this.place.clientWidth), height: this.place.clientHeight || 220 };
  }

  private get isTime() {
    return this.x === 't';
  }

  // + and - zoom, arrows move, 0 shows all.
  private key(event: KeyboardEvent) {
    if (!this.plot || event.target !== this.element) return;
    const { min, max } = this.plot.scales.x as { min: number; max: number };
    const middle = (min + max) / 2;
    const half = (max - min) / 2;
    const to = (low: number, high: number) => {
      this.isZoomed = true;
      this.plot!.setScale('x', { min: low, max: high });
    };
    if (event.key === '+' || event.key === '=') to(middle - half / 1.5, middle + half / 1.5);
    else if (event.key === '-') to(middle - half * 1.5, middle + half * 1.5);
    else if (event.key === 'ArrowLeft') to(min - half / 4, max - half / 4);
    else if (event.key === 'ArrowRight') to(min + half / 4, max + half / 4);
    else if (event.key === '0') this.reset();
    else return;
    event.preventDefault();
  }

  reset() {
    this.isZoomed = false;
    if (!this.plot) return;
    this.plot.setData(this.plot.data as uPlot.AlignedData, true);
  }

  private pairs() {
    return this.curves
      .map((curve) => ({ curve, x: columnOf(curve.columns, this.x), y: columnOf(curve.columns, this.y) }))
      .filter((each) => each.x && each.y) as { curve: Curve; x: Column; y: Column }[];
  }

  show(curves: Curve[], time: number) {
    this.curves = curves;
    this.time = time;
    const pairs = this.pairs();
    const told = pairs.map(({ curve, y }) => {
      const [low, high] = extent([y.values]);
      return `${curve.label}: ${number(low)} to ${number(high)}`;
    });
    this.element.setAttribute(
      'aria-label',
      `${withUnit(this.y, pairs[0]?.y.unit ?? '-')} over ${this.isTime ? 'time' : symbolText(this.x)}. ${told.join('; ')}. Keys: plus and minus zoom, arrows move, 0 shows all.`,
    );
    const shape = pairs.map(({ curve }) => `${curve.label}|${curve.colour}|${curve.dash}`).join(';') + isDark();
    const data = this.data(pairs);
    if (!this.plot || shape !== this.shape) {
      this.plot?.destroy();
      this.shape = shape;
      this.isZoomed = false;
      this.place.replaceChildren();
      this.plot = pairs.length ? new uPlot(this.options(pairs), data, this.place) : null;
      if (!pairs.length) this.place.append(h('p', { class: 'empty' }, 'No run has these columns.'));
    } else if (!this.isZoomed) {
      this.plot.setData(data, true);
    } else {
      // Whoever has zoomed in wants to see the same part of the new curves.
      const { x, y } = this.plot.scales as Record<string, { min: number; max: number }>;
      const kept = { x: { min: x.min, max: x.max }, y: { min: y.min, max: y.max } };
      this.plot.batch(() => {
        this.plot!.setData(data, false);
        this.plot!.setScale('x', kept.x);
        if (!this.isTime) this.plot!.setScale('y', kept.y);
      });
    }
    this.tell(null);
  }

  private data(pairs: { x: Column; y: Column }[]): uPlot.AlignedData {
    if (!this.isTime) return [null, ...pairs.map(({ x, y }) => [x.values, y.values])] as unknown as uPlot.AlignedData;
    const first = pairs[0]?.x.values;
    const alike = pairs.every(
      ({ x }) => x.values.length === first.length && x.values[0] === first[0] && x.values.every((each, i) => each === first[i]),
    );
    if (alike) return [first, ...pairs.map(({ y }) => y.values)] as unknown as uPlot.AlignedData;
    return uPlot.join(pairs.map(({ x, y }) => [x.values, y.values] as unknown as uPlot.AlignedData));
  }

  private options(pairs: { curve: Curve; x: Column; y: Column }[]): uPlot.Options {
    const ink = css('--ink-soft');
    const axis = (label: string): uPlot.Axis => ({
      label,
      stroke: ink,
      labelSize: 18,
      labelFont: '12px system-ui, sans-serif',
      font: '11px system-ui, sans-serif',
      grid: { stroke: css('--line'), width: 1 },
      ticks: { stroke: css('--line'), width: 1, size: 4 },
      values: (_, splits) => splits.map((each) => number(each, 5)),
      size: label === '' ? 30 : undefined,
    });
    const { x, y } = pairs[0];
    const common = {
      ...this.size(),
      legend: { show: false },
      axes: [
        { ...axis(this.isTime ? 't [s]' : withUnit(this.x, x.unit)), size: 28, space: 60 },
        { ...axis(withUnit(this.y, y.unit)), size: 54 },
      ],
      hooks: {
        draw: [() => this.mark()],
        setCursor: [(u: uPlot) => this.tell(u)],
        setSelect: [(u: uPlot) => (this.isZoomed ||= u.select.width > 0)],
        ready: [(u: uPlot) => this.listen(u)],
      },
    };
    if (this.isTime) {
      return {
        ...common,
        scales: { x: { time: false }, y: { range: (_, low, high) => padded(extent([Float64Array.of(low ?? 0, high ?? 0)])) } },
        cursor: { sync: { key: sync.key }, drag: { x: true, y: false, dist: 5 }, points: { size: 6 } },
        series: [
          {},
          ...pairs.map(({ curve }) => ({
            label: curve.label,
            stroke: curve.colour,
            width: curve.isMeasured ? 1 : 1.75,
            dash: curve.dash,
            points: { show: false },
            spanGaps: true,
          })),
        ],
      };
    }
    return {
      ...common,
      mode: 2,
      scales: {
        x: { time: false, range: (u) => padded(extent((u.data as any).slice(1).map((each: any) => each[0]))) },
        y: { range: (u) => padded(extent((u.data as any).slice(1).map((each: any) => each[1]))) },
      },
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
      series: [
        {},
        ...pairs.map(({ curve }) => ({
          label: curve.label,
          stroke: curve.colour,
          width: 1.5,
          paths: (u: uPlot, i: number) => this.trace(u, i, curve),
          points: { show: false },
        })),
      ] as uPlot.Series[],
    };
  }

  // A curve of one column over another; uPlot's own lines need rising x.
  private trace(u: uPlot, i: number, curve: Curve): null {
    const [xs, ys] = (u.data as any)[i] as [Float64Array, Float64Array];
    const ctx = u.ctx;
    const pixels = devicePixelRatio;
    const path = new Path2D();
    const step = Math.max(1, Math.floor(xs.length / 20000));
    let pen = false;
    for (let k = 0; k < xs.length; k += step) {
      if (!Number.isFinite(xs[k]) || !Number.isFinite(ys[k])) {
        pen = false;
        continue;
      }
      const px = u.valToPos(xs[k], 'x', true);
      const py = u.valToPos(ys[k], 'y', true);
      if (pen) path.lineTo(px, py);
      else path.moveTo(px, py);
      pen = true;
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.strokeStyle = curve.colour;
    ctx.lineWidth = 1.5 * pixels;
    ctx.setLineDash(curve.dash.map((each) => each * pixels));
    ctx.stroke(path);
    ctx.restore();
    return null;
  }

  // A click chooses the time; a drag zooms.
  private listen(u: uPlot) {
    let from = 0;
    u.over.addEventListener('pointerdown', (event) => (from = event.clientX));
    u.over.addEventListener('click', (event) => {
      if (this.isTime && Math.abs(event.clientX - from) < 4) this.choose(u.posToVal(event.offsetX, 'x'));
    });
    u.over.addEventListener('dblclick', () => (this.isZoomed = false));
  }

  setTime(time: number) {
    this.time = time;
    this.mark();
    if ((this.plot?.cursor.left ?? -10) < 0) this.tell(null);
  }

  // Where the time is: a line, or a point on each curve. On a canvas of its own, so that the curves need not
  // be drawn again while time goes by.
  private mark() {
    const u = this.plot;
    if (!u) return;
    const pixels = devicePixelRatio;
    const { width, height } = u.bbox;
    if (this.marks.parentElement !== u.over) u.over.append(this.marks);
    if (this.marks.width !== width || this.marks.height !== height) {
      [this.marks.width, this.marks.height] = [width, height];
      this.marks.style.width = `${width / pixels}px`;
    }
    const ctx = this.marks.getContext('2d')!;
    const { soft, paper } = palette();
    ctx.clearRect(0, 0, width, height);
    const place = (value: number, axis: 'x' | 'y') => u.valToPos(value, axis) * pixels;
    if (this.isTime) {
      const px = place(this.time, 'x');
      ctx.strokeStyle = soft;
      ctx.lineWidth = pixels;
      ctx.beginPath();
      ctx.moveTo(px, 0);
      ctx.lineTo(px, height);
      ctx.stroke();
    }
    for (const { curve, x, y } of this.pairs()) {
      const t = columnOf(curve.columns, 't')?.values;
      if (!t || curve.isMeasured) continue;
      ctx.fillStyle = curve.colour;
      ctx.strokeStyle = paper;
      ctx.lineWidth = 1.5 * pixels;
      ctx.beginPath();
      ctx.arc(place(this.isTime ? this.time : valueAt(t, x.values, this.time), 'x'), place(valueAt(t, y.values, this.time), 'y'), 4.5 * pixels, 0, 7);
      ctx.fill();
      ctx.stroke();
    }
  }

  // Values under the cursor, or at the time that is shown.
  private tell(u: uPlot | null) {
    const left = u?.cursor.left ?? -1;
    const parts: { text: string; colour?: string }[] = [];
    if (!this.isTime && u && left >= 0) {
      parts.push({ text: `${symbolText(this.x)} = ${number(u.posToVal(left, 'x'))}` });
      parts.push({ text: `${symbolText(this.y)} = ${number(u.posToVal(u.cursor.top ?? 0, 'y'))}` });
    } else {
      const at = this.isTime && u && left >= 0 ? u.posToVal(left, 'x') : this.time;
      parts.push({ text: `t = ${number(at)} s` });
      for (const { curve, x, y } of this.pairs()) {
        const t = columnOf(curve.columns, 't')?.values ?? x.values;
        parts.push({ text: number(valueAt(t, y.values, at)), colour: curve.colour });
      }
    }
    // While time goes by only the texts change: that is much cheaper than new elements.
    const shape = parts.map((each) => each.colour ?? '').join();
    if (this.readout.dataset.shape !== shape) {
      this.readout.dataset.shape = shape;
      this.readout.replaceChildren(...parts.map(({ colour }) => h('span', {}, colour ? h('i', { class: 'dot', style: `background:${colour}` }) : '', '\u200b')));
    }
    parts.forEach(({ text }, i) => {
      const place = this.readout.children[i].lastChild as Text;
      if (place.data !== text) place.data = text;
    });
  }

  destroy() {
    this.observer.disconnect();
    this.plot?.destroy();
  }

  image(): HTMLCanvasElement | null {
    return this.plot?.ctx.canvas ?? null;
  }
}

// ---- the same as a picture that scales ----------------------------------------------------------------

function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= raw)!;
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; ++k) list.push(k * step);
  return list;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// Panels one below the other, as SVG text.
export function svgOf(title: string, panels: { x: string; y: string }[], curves: Curve[], width = 720, height = 260): string {
  const left = 70;
  const right = 16;
  const below = 44;
  const top = 14;
  const head = 54;
  const parts: string[] = [];
  panels.forEach((panel, p) => {
    const pairs = curves
      .map((curve) => ({ curve, x: columnOf(curve.columns, panel.x), y: columnOf(curve.columns, panel.y) }))
      .filter((each) => each.x && each.y) as { curve: Curve; x: Column; y: Column }[];
    if (!pairs.length) return;
    const [x0, x1] = panel.x === 't' ? extent(pairs.map((each) => each.x.values)) : padded(extent(pairs.map((each) => each.x.values)));
    const [y0, y1] = padded(extent(pairs.map((each) => each.y.values)));
    const px = (x: number) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
    const py = (y: number) => height - below - ((y - y0) / (y1 - y0)) * (height - below - top);
    parts.push(`<g transform="translate(0 ${head + p * height})">`);
    for (const each of ticks(x0, x1, 8)) {
      const at = px(each).toFixed(1);
      parts.push(`<path d="M${at} ${top}V${height - below}" stroke="#ddd"/><text x="${at}" y="${height - below + 15}" text-anchor="middle">${number(each)}</text>`);
    }
    for (const each of ticks(y0, y1, 5)) {
      const at = py(each).toFixed(1);
      parts.push(`<path d="M${left} ${at}H${width - right}" stroke="#ddd"/><text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end">${number(each)}</text>`);
    }
    parts.push(`<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(panel.x === 't' ? 't [s]' : withUnit(panel.x, pairs[0].x.unit))}</text>`);
    parts.push(`<text transform="translate(14 ${(height - below + top) / 2}) rotate(-90)" text-anchor="middle">${escaped(withUnit(panel.y, pairs[0].y.unit))}</text>`);
    for (const { curve, x, y } of pairs) {
      const points: string[] = [];
      const n = Math.min(x.values.length, y.values.length);
      const step = Math.max(1, Math.floor(n / 4000));
      for (let k = 0; k < n; k += step) points.push(`${px(x.values[k]).toFixed(2)},${py(y.values[k]).toFixed(2)}`);
      parts.push(`<polyline fill="none" stroke="${curve.colour}" stroke-width="1.6" stroke-dasharray="${curve.dash.join(' ')}" points="${points.join(' ')}"/>`);
    }
    parts.push(`<rect x="${left}" y="${top}" width="${width - left - right}" height="${height - below - top}" fill="none" stroke="#888"/></g>`);
  });
  let at = left;
  const keys = curves.map((curve) => {
    const key = `<path d="M${at} 40h24" stroke="${curve.colour}" stroke-width="2" stroke-dasharray="${curve.dash.join(' ')}"/><text x="${at + 30}" y="44">${escaped(curve.label)}</text>`;
    at += 44 + 7 * curve.label.length;
    return key;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${head + panels.length * height}" width="${width}" height="${head + panels.length * height}" font-family="sans-serif" font-size="12" fill="#222"><rect width="100%" height="100%" fill="#fff"/><text x="${left}" y="22" font-size="15">${escaped(title)}</text>${keys.join('')}${parts.join('')}</svg>\n`;
}
