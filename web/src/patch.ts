// SPDX-License-Identifier: Apache-2.0

// The contact patch: where it sticks and slips at the time that is shown, and which forces and torques it can
// hold. Only for scenarios of which the library says that they have such a view.

import { isDark, colourOf } from './charts';
import { Abandoned, call, Newest, type Answer } from './core';
import { fill, h } from './dom';
import type { Shown } from './lab';
import { number } from './names';
import { isTable, toToml, type Table } from './scenario';

const times = 48; // at which a run is looked at
const directions = [48, 25]; // of the twist: around, and from pole to pole
const tolerance = 1e-6;
const group = 'patch';

type Colour = [number, number, number];
const mixed = (a: Colour, b: Colour, share: number) => a.map((each, i) => Math.round(each + (b[i] - each) * share)) as Colour;
const css = (colour: Colour) => `rgb(${colour.join(' ')})`;
const inks = () =>
  isDark()
    ? { low: [39, 49, 55] as Colour, high: [107, 178, 226] as Colour, slips: [255, 140, 66] as Colour }
    : { low: [230, 236, 240] as Colour, high: [0, 84, 140] as Colour, slips: [213, 94, 0] as Colour };
const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A figure with one canvas, which is drawn again when its size changes.
class Drawing {
  readonly caption = h('figcaption');
  readonly canvas = h('canvas', { class: 'drawing', role: 'img' });
  readonly readout = h('p', { class: 'readout' });
  readonly element: HTMLElement;

  constructor(kind: string, private readonly draw: (ctx: CanvasRenderingContext2D, width: number, height: number) => void) {
    this.element = h('figure', { class: `panel ${kind}` }, h('header', {}, this.caption), this.canvas, this.readout);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  redraw() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width || !height) return;
    const pixels = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * pixels);
    this.canvas.height = Math.round(height * pixels);
    const ctx = this.canvas.getContext('2d')!;
    ctx.setTransform(pixels, 0, 0, pixels, 0, 0);
    this.draw(ctx, width, height);
  }
}

// ---- where it slips -----------------------------------------------------------------------------------

interface SlipMap {
  cell_width: number;
  cell_height: number;
  wanted: number;
  outcome: string;
  hint: string;
  pictures: { t: number; slipping: number }[];
}

const keyOfColours = () => {
  const { low, high, slips } = inks();
  return [
    h('span', {}, 'sticks: 0'),
    h('i', { class: 'ramp', style: `background:linear-gradient(90deg, ${css(low)}, ${css(high)})` }),
    h('span', {}, '1 of its limit'),
    h('span', {}, h('i', { class: 'dot', style: `background:${css(slips)}` }), 'slips'),
  ];
};

class SlipFigure {
  private readonly drawing = new Drawing('slip-map', (ctx, width, height) => this.draw(ctx, width, height));
  private readonly key = h('p', { class: 'readout colours' });
  private answer: Answer<SlipMap> | null = null;
  private label = '';
  private picture = -1;
  readonly element = this.drawing.element;

  constructor() {
    this.element.append(this.key);
  }

  show(label: string, colour: string, answer: Answer<SlipMap> | string, time: number) {
    this.answer = typeof answer === 'string' ? null : answer;
    this.label = label;
    this.picture = -1;
    fill(this.drawing.caption, h('i', { class: 'dot', style: `background:${colour}` }), 'Slip map', h('span', { class: 'over' }, label));
    fill(this.key, this.answer ? keyOfColours() : '');
    if (typeof answer === 'string') fill(this.drawing.readout, h('span', { class: 'problem' }, answer));
    else if (!answer.json.pictures.length) fill(this.drawing.readout, h('span', { class: 'problem' }, [answer.json.outcome, answer.json.hint].filter(Boolean).join(': ')));
    this.setTime(time);
    if (this.picture < 0) this.drawing.redraw();
  }

  // The picture nearest to that time.
  setTime(time: number) {
    const pictures = this.answer?.json.pictures ?? [];
    let nearest = pictures.length ? 0 : -1;
    pictures.forEach((each, i) => {
      if (Math.abs(each.t - time) < Math.abs(pictures[nearest].t - time)) nearest = i;
    });
    if (nearest < 0 || nearest === this.picture) return;
    this.picture = nearest;
    const { t, slipping } = pictures[nearest];
    const told = `${number(100 * slipping, 3)} % of the load slips`;
    fill(this.drawing.readout, h('span', {}, `t = ${number(t)} s`), h('span', {}, told));
    this.drawing.canvas.setAttribute('aria-label', `Slip map of ${this.label} at ${number(t)} seconds: ${told}`);
    this.drawing.redraw();
  }

  private draw(ctx: CanvasRenderingContext2D, width: number, height: number) {
    if (!this.answer || this.picture < 0) return;
    const [x, y] = this.answer.columns.map((each) => each.values);
    const shares = this.answer.shares![this.picture];
    const { cell_width, cell_height } = this.answer.json;
    const box = (list: Float64Array, cell: number) => {
      let [low, high] = [Infinity, -Infinity];
      for (const each of list) [low, high] = [Math.min(low, each), Math.max(high, each)];
      return [low - cell / 2, high + cell / 2];
    };
    const [left, right] = box(x, cell_width);
    const [bottom, top] = box(y, cell_height);
    const room = 22; // for the length that is drawn below
    const scale = Math.min((width - 16) / (right - left || 1e-30), (height - room - 8) / (top - bottom || 1e-30));
    const px = (value: number) => width / 2 + (value - (left + right) / 2) * scale;
    const py = (value: number) => (height - room) / 2 - (value - (bottom + top) / 2) * scale;
    const { low, high, slips } = inks();
    // Edges on whole pixels, so that neighbours touch; cells of a line have no height.
    const pixels = devicePixelRatio || 1;
    const edges = (middle: number, size: number) => [Math.round((middle - size / 2) * pixels) / pixels, Math.round((middle + size / 2) * pixels) / pixels];
    const [w, h] = [Math.max(3, cell_width * scale), Math.max(3, cell_height * scale)];
    for (let i = 0; i < x.length; ++i) {
      const [x0, x1] = edges(px(x[i]), w);
      const [y0, y1] = edges(py(y[i]), h);
      ctx.fillStyle = css(shares[i] > 1 ? slips : mixed(low, high, Math.max(0, Math.min(1, shares[i]))));
      ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
    const size = 10 ** Math.floor(Math.log10((right - left) / 3 || 1));
    const length = [5, 2, 1].map((each) => each * size).find((each) => each <= (right - left) / 2) ?? size;
    const from = width / 2 - (length * scale) / 2;
    ctx.strokeStyle = ctx.fillStyle = variable('--ink-soft');
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(from, height - 16);
    ctx.lineTo(from + length * scale, height - 16);
    ctx.stroke();
    ctx.font = '11px system-ui, sans-serif';
    ctx.textAlign = 'center';
    ctx.fillText(length < 1 ? `${number(1000 * length)} mm` : `${number(length)} m`, width / 2, height - 3);
  }
}

// ---- what it can hold ---------------------------------------------------------------------------------

interface LimitSurface {
  patch: string;
  centre: [number, number];
  reach: number;
  arm: number;
  around: number;
  up: number;
  worst: number;
  error: number;
}

// Torques are drawn over the torque of spinning, so that the ellipsoid is a sphere of radius 1.
class SurfaceFigure {
  private readonly drawing = new Drawing('limit-surface', (ctx, width, height) => this.draw(ctx, width, height));
  private answer: Answer<LimitSurface> | null = null;
  private turn = -2.36;
  private tilt = 0.45;
  readonly element = this.drawing.element;

  constructor() {
    const { canvas } = this.drawing;
    this.element.tabIndex = 0;
    this.element.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (!by || event.target !== this.element) return;
      event.preventDefault();
      this.rotate(by[0], by[1]);
    });
    let last: [number, number] | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = [event.clientX, event.clientY];
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!last) return;
      this.rotate((event.clientX - last[0]) / 90, (event.clientY - last[1]) / 90);
      last = [event.clientX, event.clientY];
    });
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => (last = null));
  }

  private rotate(turn: number, tilt: number) {
    this.turn += turn;
    this.tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.tilt + tilt));
    this.drawing.redraw();
  }

  show(answer: Answer<LimitSurface> | string) {
    this.answer = typeof answer === 'string' ? null : answer;
    fill(this.drawing.caption, 'Limit surface');
    if (typeof answer === 'string') {
      fill(this.drawing.readout, h('span', { class: 'problem' }, answer));
    } else {
      const { patch, arm, worst } = answer.json;
      fill(this.drawing.caption, 'Limit surface', h('span', { class: 'over' }, patch));
      const torque = `greatest torque ${number(1000 * arm)} mm μ fₙ`;
      const off = `the ellipsoid (dashed) is off by ${number(100 * worst, 3)} % at most`;
      fill(this.drawing.readout, h('span', {}, torque), h('span', {}, off));
      this.drawing.canvas.setAttribute('aria-label', `Limit surface of a ${patch}: ${torque}; ${off}. Arrow keys turn it.`);
    }
    this.drawing.redraw();
  }

  private draw(ctx: CanvasRenderingContext2D, width: number, height: number) {
    if (!this.answer) return;
    const { around, up, arm, worst } = this.answer.json;
    const [fx, fy, torque] = this.answer.columns.map((each) => each.values);
    const radius = Math.min(width / 3.2, height / 2.7);
    const [s, c] = [Math.sin(this.turn), Math.cos(this.turn)];
    const [st, ct] = [Math.sin(this.tilt), Math.cos(this.tilt)];
    // To the right, up, and towards the reader.
    const seen = (x: number, y: number, z: number): [number, number, number] => {
      const [right, back] = [c * x - s * y, s * x + c * y];
      return [width / 2 + radius * right, height / 2 - radius * (ct * z + st * back), st * z - ct * back];
    };
    const points = Array.from(fx, (_, i) => seen(fx[i], fy[i], torque[i] / arm));
    const offs = Array.from(fx, (_, i) => Math.abs(Math.hypot(fx[i], fy[i], torque[i] / arm) - 1));
    const faces: { at: number[]; depth: number }[] = [];
    for (let j = 0; j + 1 < up; ++j) {
      for (let i = 0; i < around; ++i) {
        const k = (i + 1) % around;
        const at = [i + around * j, k + around * j, k + around * (j + 1), i + around * (j + 1)];
        faces.push({ at, depth: at.reduce((sum, each) => sum + points[each][2], 0) });
      }
    }
    faces.sort((a, b) => a.depth - b.depth);
    const { low, high } = inks();
    const soft = variable('--ink-soft');
    const axis = ([x, y, z]: [number, number, number], label: string) => {
      const along = (share: number) => seen(share * x, share * y, share * z);
      const long = z ? 1.13 : 1.5;
      const [from, end, text] = [along(1), along(long), along(long + 0.13)];
      ctx.strokeStyle = ctx.fillStyle = soft;
      ctx.lineWidth = 1.2;
      ctx.beginPath();
      ctx.moveTo(from[0], from[1]);
      ctx.lineTo(end[0], end[1]);
      ctx.stroke();
      ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      const [head, index] = label.split('_');
      ctx.font = '12px system-ui, sans-serif';
      ctx.fillText(head, text[0], text[1]);
      ctx.font = '9px system-ui, sans-serif';
      if (index) ctx.fillText(index, text[0] + 5, text[1] + 4);
    };
    const axes: [[number, number, number], string][] = [
      [[1, 0, 0], 'f_x'],
      [[0, 1, 0], 'f_y'],
      [[0, 0, 1], 'torque'],
    ];
    const isBehind = (to: [number, number, number]) => seen(...to)[2] < 0;
    for (const [to, label] of axes) if (isBehind(to)) axis(to, label);
    for (const { at } of faces) {
      // Light from the upper left; darker where the ellipsoid is further off.
      const [a, b, d] = [points[at[0]], points[at[1]], points[at[2]]];
      const u = [b[0] - a[0], b[1] - a[1], radius * (b[2] - a[2])];
      const v = [d[0] - a[0], d[1] - a[1], radius * (d[2] - a[2])];
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const size = Math.hypot(...normal) || 1;
      const light = Math.abs((-0.4 * normal[0] - 0.5 * normal[1] + 0.77 * normal[2]) / size);
      const off = at.reduce((sum, each) => sum + offs[each], 0) / 4;
      const colour = mixed(low, high, 0.12 + 0.75 * Math.min(1, off / (worst || 1)));
      ctx.fillStyle = css(mixed(isDark() ? [20, 26, 29] : [120, 135, 145], colour, 0.55 + 0.45 * light));
      ctx.strokeStyle = ctx.fillStyle;
      ctx.lineWidth = 0.6;
      ctx.beginPath();
      at.forEach((each, i) => (i ? ctx.lineTo(points[each][0], points[each][1]) : ctx.moveTo(points[each][0], points[each][1])));
      ctx.closePath();
      ctx.fill();
      ctx.stroke();
    }
    for (const [to, label] of axes) if (!isBehind(to)) axis(to, label);
    ctx.strokeStyle = css(inks().slips);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([5, 4]);
    ctx.beginPath();
    ctx.arc(width / 2, height / 2, radius, 0, 7);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

// ---- both ---------------------------------------------------------------------------------------------

interface Found {
  maps: { run: number; label: string; answer: Answer<SlipMap> | string }[];
  surfaces: (Answer<LimitSurface> | string)[];
}

export class PatchViews {
  readonly element = h('section', { class: 'patch figures', 'aria-label': 'Contact patch', hidden: true });
  private shown: Shown[] = [];
  private time = 0;
  private found: Found = { maps: [], surfaces: [] };
  private maps: SlipFigure[] = [];
  private surfaces: SurfaceFigure[] = [];
  private readonly known = new Map<string, Answer<LimitSurface>>(); // by the text of the patch
  private readonly work = new Newest(group, (isWanted) => this.compute(isWanted));

  // It tells the share that is done, null when there is nothing to do.
  constructor(private readonly tell: (share: number | null) => void) {}

  show(shown: Shown[], time: number) {
    this.time = time;
    if (shown === this.shown) return this.build(); // in other colours
    this.shown = shown;
    if (shown.some((each) => each.answer?.json.views.slip_map || each.answer?.json.views.limit_surface)) {
      this.tell(0);
      void this.work.ask();
    } else {
      this.stop();
      this.found = { maps: [], surfaces: [] };
      this.build();
    }
  }

  stop() {
    this.work.stop();
    this.tell(null);
  }

  setTime(time: number) {
    this.time = time;
    for (const each of this.maps) each.setTime(time);
  }

  private async compute(isWanted: () => boolean) {
    const shown = this.shown;
    const orWords = <T>(answer: Promise<Answer<T>>) =>
      answer.catch((problem) => {
        if (problem instanceof Abandoned) throw problem;
        return (problem as Error).message;
      });
    const patches = new Map<string, Table>();
    for (const { answer, document } of shown) {
      if (!answer?.json.views.limit_surface || !isTable(document.patch)) continue;
      const { cells, ...patch } = document.patch;
      patches.set(toToml({ patch }), patch);
    }
    const surfaces = [...patches.keys()].map(async (text) => {
      const known = this.known.get(text);
      if (known) return known;
      const answer = await orWords(call<LimitSurface>('limit_surface', [text, ...directions, tolerance, null], { group }));
      if (this.known.size > 40) this.known.clear();
      if (typeof answer !== 'string') this.known.set(text, answer);
      return answer;
    });
    const maps = shown.flatMap(({ answer, document, label }, run) =>
      answer?.json.views.slip_map ? [orWords(call<SlipMap>('slip_map', [toToml(document), times, 'PROGRESS'], { group, progress: this.tell })).then((map) => ({ run, label, answer: map }))] : [],
    );
    const [foundMaps, foundSurfaces] = await Promise.all([Promise.all(maps), Promise.all(surfaces)]);
    if (!isWanted()) return;
    this.found = { maps: foundMaps, surfaces: foundSurfaces };
    this.build();
    if (shown === this.shown) this.tell(null);
  }

  private build() {
    const { maps, surfaces } = this.found;
    while (this.maps.length < maps.length) this.maps.push(new SlipFigure());
    while (this.surfaces.length < surfaces.length) this.surfaces.push(new SurfaceFigure());
    this.maps.length = maps.length;
    this.surfaces.length = surfaces.length;
    const figures = [...this.maps, ...this.surfaces].map((each) => each.element);
    if (figures.length !== this.element.childElementCount || figures.some((each, i) => each !== this.element.children[i])) this.element.replaceChildren(...figures);
    this.element.hidden = !figures.length;
    maps.forEach(({ run, label, answer }, i) => this.maps[i].show(label, colourOf(run), answer, this.time));
    surfaces.forEach((each, i) => this.surfaces[i].show(each));
  }

  // For the tests.
  numbers() {
    return this.found;
  }
}
