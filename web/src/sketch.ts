// SPDX-License-Identifier: Apache-2.0

// The mechanism, moved by the simulation: one lane per run. A system without a sketch of its own shows its
// columns as beads on wires.

import { columnOf, extremesOf, valueAt, type Curve } from './charts';
import type { Column } from './core';
import { number, symbolText } from './names';
import { get, type Table } from './scenario';

interface Lane {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  colour: string;
  ink: string;
  soft: string;
  fill: string;
  names: string[]; // of its columns
  at: (column: string, when?: number) => number;
  has: (column: string) => boolean;
  // Where a value lies between the extremes that all runs reach.
  place: (column: string, from: number, to: number, together?: string[]) => number;
  span: (columns: string[]) => [number, number];
  number: (path: string, otherwise: number) => number;
  time: number;
}
type Sketch = (lane: Lane) => void;

// ---- parts ------------------------------------------------------------------------------------------

function line(l: Lane, points: [number, number][], colour = l.ink, width = 1.5) {
  l.ctx.strokeStyle = colour;
  l.ctx.lineWidth = width;
  l.ctx.beginPath();
  points.forEach(([x, y], i) => (i ? l.ctx.lineTo(x, y) : l.ctx.moveTo(x, y)));
  l.ctx.stroke();
}

function ground(l: Lane, y: number, from = 0, to = l.width, below = 1) {
  line(l, [[from, y], [to, y]], l.ink, 1.5);
  for (let x = from + 4; x < to; x += 9) line(l, [[x, y], [x - 5, y + 6 * below]], l.soft, 1);
}

function wall(l: Lane, x: number, from: number, to: number, side = -1) {
  line(l, [[x, from], [x, to]], l.ink, 1.5);
  for (let y = from + 4; y < to; y += 9) line(l, [[x, y], [x + 6 * side, y + 5]], l.soft, 1);
}

function spring(l: Lane, x0: number, y0: number, x1: number, y1: number, coils = 9) {
  const long = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / long, (y1 - y0) / long];
  const points: [number, number][] = [[x0, y0]];
  for (let i = 0; i <= 2 * coils; ++i) {
    const s = 6 + ((long - 12) * i) / (2 * coils);
    const side = i === 0 || i === 2 * coils ? 0 : i % 2 ? 6 : -6;
    points.push([x0 + ux * s - uy * side, y0 + uy * s + ux * side]);
  }
  points.push([x1, y1]);
  line(l, points, l.soft, 1.5);
}

function box(l: Lane, x: number, y: number, width: number, height: number) {
  l.ctx.fillStyle = l.fill;
  l.ctx.strokeStyle = l.colour;
  l.ctx.lineWidth = 2;
  l.ctx.beginPath();
  l.ctx.roundRect(x - width / 2, y - height, width, height, 4);
  l.ctx.fill();
  l.ctx.stroke();
}

function arrow(l: Lane, x: number, y: number, dx: number, dy = 0, colour = l.colour) {
  const long = Math.hypot(dx, dy);
  if (long < 2) return;
  const head = Math.min(7, long);
  const [ux, uy] = [dx / long, dy / long];
  line(l, [[x, y], [x + dx, y + dy]], colour, 2);
  l.ctx.fillStyle = colour;
  l.ctx.beginPath();
  l.ctx.moveTo(x + dx, y + dy);
  l.ctx.lineTo(x + dx - ux * head - uy * head * 0.5, y + dy - uy * head + ux * head * 0.5);
  l.ctx.lineTo(x + dx - ux * head + uy * head * 0.5, y + dy - uy * head - ux * head * 0.5);
  l.ctx.fill();
}

function disc(l: Lane, x: number, y: number, radius: number, angle: number | null = null) {
  l.ctx.fillStyle = l.fill;
  l.ctx.strokeStyle = l.colour;
  l.ctx.lineWidth = 2;
  l.ctx.beginPath();
  l.ctx.arc(x, y, radius, 0, 7);
  l.ctx.fill();
  l.ctx.stroke();
  if (angle !== null) {
    for (const turn of [0, Math.PI / 2]) {
      const [dx, dy] = [radius * Math.cos(angle + turn), radius * Math.sin(angle + turn)];
      line(l, [[x - dx, y - dy], [x + dx, y + dy]], l.colour, 1);
    }
  }
}

// Bristles between a body and the ground bend with the deflection of the model.
function bristles(l: Lane, x: number, y: number, width: number) {
  const name = ['z', 'a', 'z_1', 'a_1', 'friction_z', 'friction_a', 'friction_z_1', 'friction_a_1'].find((each) => l.has(each));
  if (!name) return;
  const [low, high] = l.span([name]);
  const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const lean = (7 * l.at(name)) / size;
  for (let i = 0; i <= 8; ++i) {
    const at = x - width / 2 + 4 + ((width - 8) * i) / 8;
    l.ctx.strokeStyle = l.colour;
    l.ctx.lineWidth = 1.2;
    l.ctx.beginPath();
    l.ctx.moveTo(at, y - 8);
    l.ctx.quadraticCurveTo(at, y - 3, at - lean, y);
    l.ctx.stroke();
  }
}

// The friction force on a body, against the largest of all runs.
function friction(l: Lane, x: number, y: number, column = 'f') {
  if (!l.has(column)) return;
  const [low, high] = l.span([column]);
  const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
  arrow(l, x, y, (-34 * l.at(column)) / size);
}

// ---- systems ----------------------------------------------------------------------------------------

const floor = (l: Lane) => l.height - 14;

const sliding: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  const hasSpring = l.has('anchor');
  const x = l.place('x', 60, l.width - 110, hasSpring ? ['anchor'] : []);
  if (hasSpring) {
    const end = l.place('anchor', 60, l.width - 110, ['x']) + 70;
    spring(l, x + 22, y - 26, end, y - 26);
    disc(l, end, y - 26, 4);
  }
  bristles(l, x, y, 44);
  box(l, x, y - 8, 44, 34);
  friction(l, x, y - 48);
};

const pushed: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  const x = l.place('x', 70, l.width - 90, l.has('goal') ? ['goal'] : []);
  if (l.has('goal')) {
    const goal = l.place('goal', 70, l.width - 90, ['x']);
    l.ctx.setLineDash([4, 4]);
    line(l, [[goal, y - 56], [goal, y]], l.soft);
    l.ctx.setLineDash([]);
  }
  bristles(l, x, y, 44);
  box(l, x, y - 8, 44, 34);
  if (l.has('force')) {
    const [low, high] = l.span(['force']);
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    const push = (34 * l.at('force')) / size;
    arrow(l, push >= 0 ? x + 22 : x - 22, y - 24, push, 0, l.ink);
  }
  friction(l, x, y - 48);
};

const wallSpring: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  wall(l, 10, y - 52, y);
  const x = l.place('x', 90, l.width - 60);
  spring(l, 10, y - 25, x - 22, y - 25);
  bristles(l, x, y, 44);
  box(l, x, y - 8, 44, 34);
  friction(l, x, y - 48);
};

const belt: Sketch = (l) => {
  const y = floor(l) - 14;
  const x = l.place('p', 110, l.width - 70);
  wall(l, 10, y - 52, y);
  spring(l, 10, y - 25, x - 22, y - 25);
  bristles(l, x, y, 44);
  box(l, x, y - 8, 44, 34);
  friction(l, x, y - 48);
  line(l, [[40, y], [l.width - 30, y]], l.ink, 2);
  line(l, [[40, y + 20], [l.width - 30, y + 20]], l.ink, 2);
  const moved = l.number('system.speed', 0.1) * l.time;
  const angle = (moved / (Math.abs(l.number('system.speed', 0.1)) || 1)) * 2;
  disc(l, 40, y + 10, 10, angle);
  disc(l, l.width - 30, y + 10, 10, angle);
  const shift = ((((angle * 10) % 24) + 24) % 24);
  for (let at = 52 + shift; at < l.width - 42; at += 24) line(l, [[at, y + 1], [at - 5, y + 6]], l.soft, 1.5);
};

const bouncing: Sketch = (l) => {
  const radius = Math.min(14, l.height / 7);
  const centre = l.width / 2;
  const [low, high] = l.span(['x']);
  const scale = (l.height - 2 * radius - 24) / (high - Math.min(0, low) || 1);
  const y = l.height - 12 + Math.min(0, low) * scale;
  const place = (when: number) => y - radius - l.at('x', when) * scale;
  ground(l, y);
  // The way it came, over time, to the left.
  const past = 70;
  l.ctx.globalAlpha = 0.55;
  for (let i = 1; i <= past; ++i) {
    const t = l.time - (i / past) * l.number('run.duration', 1) * 0.4;
    if (t < 0) break;
    disc(l, centre - (i / past) * (centre - 20), place(t), 1);
  }
  l.ctx.globalAlpha = 1;
  disc(l, centre, place(l.time), radius);
};

const betweenWalls: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  const x = l.place('x', 50, l.width - 50);
  wall(l, 26, y - 52, y);
  wall(l, l.width - 26, y - 52, y, 1);
  bristles(l, x, y, 40);
  box(l, x, y - 8, 40, 34);
  friction(l, x, y - 48);
};

const rolling: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  const radius = 20;
  const scale = radius / l.number('system.radius', 0.1);
  const gap = l.has('gap') ? l.at('gap') : 0;
  const angle = l.has('theta') ? l.at('theta') : l.at('omega_y') * l.time;
  const [, high] = l.span(['gap']);
  const rise = Math.max(0, Math.min(gap * scale, (gap / (high || 1)) * (l.height - 2 * radius - 20)));
  disc(l, l.place('x', 40, l.width - 40), y - radius - rise, radius, angle);
};

const planar: Sketch = (l) => {
  const spanX = l.span(['x']);
  const spanY = l.span(['y']);
  const scale = Math.min((l.width - 120) / (spanX[1] - spanX[0] || 1), (l.height - 60) / (spanY[1] - spanY[0] || 1));
  const px = (x: number) => l.width / 2 + (x - (spanX[0] + spanX[1]) / 2) * scale;
  const py = (y: number) => l.height / 2 - (y - (spanY[0] + spanY[1]) / 2) * scale;
  const [x, y, angle] = [px(l.at('x')), py(l.at('y')), -l.at('theta')];
  line(l, [[20, l.height - 10], [60, l.height - 10]], l.soft);
  line(l, [[20, l.height - 10], [20, l.height - 50]], l.soft);
  l.ctx.save();
  l.ctx.translate(x, y);
  l.ctx.rotate(angle);
  box(l, 0, 14, 56, 28);
  line(l, [[0, 0], [28, 0]], l.colour, 1.5);
  l.ctx.restore();
};

const pendulum: Sketch = (l) => {
  const [x, y] = [l.width / 2, 16];
  const angle = l.at('q');
  const long = l.height - 48;
  disc(l, x, y, 8);
  if (l.has('goal')) {
    const goal = l.at('goal');
    l.ctx.setLineDash([4, 4]);
    line(l, [[x, y], [x + long * Math.sin(goal), y + long * Math.cos(goal)]], l.soft);
    l.ctx.setLineDash([]);
  }
  line(l, [[x, y], [x + long * Math.sin(angle), y + long * Math.cos(angle)]], l.ink, 3);
  disc(l, x + long * Math.sin(angle), y + long * Math.cos(angle), 11);
};

const linkage: Sketch = (l) => {
  const angle = l.at('theta');
  const long = Math.min((l.width - 60) / 2, l.height - 40, 90);
  const y = l.height / 2 + 16;
  const x = l.width / 2 - long;
  const top: [number, number] = [x + long * Math.cos(angle), y - long * Math.sin(angle)];
  const end: [number, number] = [x + 2 * long * Math.cos(angle), y];
  spring(l, x, y, end[0], end[1]);
  line(l, [[x, y], top, end], l.ink, 3);
  disc(l, x, y, 5);
  disc(l, end[0], end[1], 5);
  disc(l, top[0], top[1], 9);
};

const twoBodies: Sketch = (l) => {
  const y = floor(l) - 8;
  wall(l, 30, 8, y);
  line(l, [[30, y], [l.width - 20, y]], l.ink, 2);
  const [, high] = l.span(['p_1x', 'p_2x']);
  const scale = (l.width - 190) / (high || 1);
  const [, up] = l.span(['p_1y', 'p_2y']);
  const rise = 22 / (Math.abs(up) || 1);
  box(l, 52 + l.at('p_1x') * scale, y - 14 - l.at('p_1y') * rise * 0.5, 36, 30);
  box(l, 92 + l.at('p_2x') * scale, y - Math.max(0, l.at('p_2y')) * rise, 36, 36);
};

// A sphere whose great circles turn with it: seen along y, a little from above.
function ball(l: Lane, x: number, y: number, radius: number) {
  disc(l, x, y, radius);
  const [w, i, j, k] = ['q_w', 'q_x', 'q_y', 'q_z'].map((each) => l.at(each));
  const size = Math.hypot(w, i, j, k) || 1;
  const [a, b, c, d] = [w / size, i / size, j / size, k / size];
  const rows = [
    [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
    [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
    [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
  ];
  const [sin, cos] = [Math.sin(0.35), Math.cos(0.35)];
  const seen = (p: number[]): [number, number, number] => {
    const [X, Y, Z] = rows.map((row) => row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    return [x + radius * X, y - radius * (cos * Z + sin * Y), sin * Z - cos * Y];
  };
  for (let axis = 0; axis < 3; ++axis) {
    let part: [number, number][] = [];
    for (let n = 0; n <= 48; ++n) {
      const [u, v] = [Math.cos((n * Math.PI) / 24), Math.sin((n * Math.PI) / 24)];
      const [px, py, depth] = seen(axis === 0 ? [0, u, v] : axis === 1 ? [u, 0, v] : [u, v, 0]);
      if (depth >= -0.02) part.push([px, py]);
      if ((depth < -0.02 || n === 48) && part.length > 1) line(l, part, l.colour, 1);
      if (depth < -0.02) part = [];
    }
  }
}

const sphere: Sketch = (l) => {
  const y = floor(l);
  ground(l, y);
  const radius = 20;
  const [, high] = l.span(['gap']);
  const gap = Math.max(0, l.at('gap'));
  const rise = Math.min((gap * radius) / l.number('system.radius', 0.1), (gap / (high || 1)) * (l.height - 2 * radius - 20));
  ball(l, l.place('x', 40, l.width - 40), y - radius - rise, radius);
};

// The pads stay; what they hold hangs, turns and slips. A bar as long as its mass and inertia tell.
const gripper: Sketch = (l) => {
  const long = Math.sqrt((12 * l.number('system.inertia', 3e-4)) / l.number('system.mass', 0.1)) || 0.1;
  const [x0, x1] = l.span(['x']);
  const [y0, y1] = l.span(['y']);
  const scale = Math.min((l.width - 30) / (x1 - x0 + long), (l.height - 24) / (y1 - y0 + 0.75 * long), 800 / long);
  const px = (value: number) => l.width / 2 + (value - (x0 + x1) / 2) * scale;
  const py = (value: number) => l.height / 2 - (value - (y0 + y1) / 2) * scale;
  l.ctx.save();
  l.ctx.translate(px(l.at('x')), py(l.at('y')));
  l.ctx.rotate(-l.at('theta'));
  const thick = Math.max(10, 0.14 * long * scale);
  box(l, 0, thick / 2, long * scale, thick);
  line(l, [[-4, 0], [4, 0]], l.colour, 1.5);
  line(l, [[0, -4], [0, 4]], l.colour, 1.5);
  l.ctx.restore();
  // The nearer pad and its finger, which comes from above; wider where the grip is firmer.
  const [, firm] = l.span(['load']);
  const grip = l.has('load') ? Math.max(0, l.at('load')) / (firm || 1) : 1;
  const [x, y] = [px(l.number('patch.x', 0)), py(l.number('patch.y', 0))];
  const radius = Math.max(6, Math.min(0.35 * l.height, l.number('patch.radius', 0.01) * scale));
  l.ctx.globalAlpha = 0.75;
  line(l, [[x, 0], [x, y]], l.ink, 2 + 4 * grip);
  l.ctx.globalAlpha = 0.35;
  l.ctx.fillStyle = l.ink;
  l.ctx.beginPath();
  l.ctx.arc(x, y, radius, 0, 7);
  l.ctx.fill();
  l.ctx.globalAlpha = 1;
};

// Grains in their box, where a run has recorded their places; those of spheres are seen from the front.
const grains: Sketch = (l) => {
  if (!l.has('x_1')) return generic(l);
  const count = l.names.filter((each) => /^z_\d+$/.test(each)).length;
  const R = l.number('system.radius', 0.01);
  const columns = l.number('system.columns', 10);
  const wide = l.number('system.width', columns * l.number('system.spacing', 2.1 * R));
  const [, top] = l.span(['highest']);
  const scale = Math.min((l.width - 40) / wide, (l.height - 14) / (top || 1));
  const y = l.height - 8;
  const left = l.width / 2 - (wide * scale) / 2;
  ground(l, y, left, left + wide * scale);
  wall(l, left, 4, y);
  wall(l, left + wide * scale, 4, y, 1);
  const order = Array.from({ length: count }, (_, i) => i + 1);
  if (l.has('y_1')) {
    const far = order.map((i) => l.at(`y_${i}`));
    order.sort((a, b) => far[b - 1] - far[a - 1]); // the nearest last
  }
  l.ctx.strokeStyle = l.colour;
  l.ctx.fillStyle = l.fill;
  l.ctx.lineWidth = 1.2;
  for (const i of order) {
    l.ctx.beginPath();
    l.ctx.arc(left + l.at(`x_${i}`) * scale, y - l.at(`z_${i}`) * scale, Math.max(1, R * scale - 0.6), 0, 7);
    l.ctx.fill();
    l.ctx.stroke();
  }
};

// A rod in a coil, longer by what is drawn many times as much as it is.
const actuator: Sketch = (l) => {
  const y = l.height / 2;
  wall(l, 40, y - 28, y + 28);
  const end = l.place('elongation', l.width * 0.62, l.width * 0.82);
  l.ctx.fillStyle = l.fill;
  l.ctx.strokeStyle = l.colour;
  l.ctx.lineWidth = 2;
  l.ctx.fillRect(40, y - 8, end - 40, 16);
  l.ctx.strokeRect(40, y - 8, end - 40, 16);
  line(l, [[end, y - 16], [end, y + 16]], l.ink, 2);
  const [low, high] = l.span(['current']);
  const share = l.at('current') / (Math.max(Math.abs(low), Math.abs(high)) || 1);
  for (let x = 62; x < l.width * 0.56; x += 14) {
    l.ctx.strokeStyle = l.ink;
    l.ctx.globalAlpha = 0.3 + 0.7 * Math.abs(share);
    l.ctx.beginPath();
    l.ctx.ellipse(x, y, 5, 19, 0, 0, 7);
    l.ctx.stroke();
  }
  l.ctx.globalAlpha = 1;
  arrow(l, 62, y + 32, 60 * share, 0, l.ink);
};

// What moves pulls masses along by springs; below, the same of the inverse.
const multiplay: Sketch = (l) => {
  const count = l.names.filter((each) => /^x_\d+$/.test(each)).length;
  const all = l.names.filter((each) => /^x(_\d+)?(_inverse)?$/.test(each));
  for (const [row, end] of ['', '_inverse'].entries()) {
    const y = l.height * (row ? 0.78 : 0.3);
    const drive = l.place(`x${end}`, 70, l.width - 50, all);
    line(l, [[60, y + 14], [l.width - 20, y + 14]], l.soft, 1);
    l.ctx.fillStyle = l.ink;
    l.ctx.font = '11px system-ui, sans-serif';
    l.ctx.fillText(row ? 'inverse' : 'x(t)', 6, y + 4);
    for (let i = 1; i <= count; ++i) {
      const at = l.place(`x_${i}${end}`, 70, l.width - 50, all);
      const dy = count > 1 ? -10 + (20 * (i - 1)) / (count - 1) : 0;
      line(l, [[drive, y + dy], [at, y + dy]], l.soft, 1.2);
      box(l, at, y + dy + 5, 12, 10);
    }
    line(l, [[drive, y - 16], [drive, y + 14]], l.colour, 3);
  }
};

// Beads on wires: any column of any system.
const generic: Sketch = (l) => {
  const usual = ['x', 'y', 'z', 'theta', 'q', 'p', 'v', 'omega', 'f', 'f_x', 'highest', 'fastest', 'kinetic', 'touching', 'mean_height', 'elongation', 'M', 'H'];
  const found = usual.filter((each) => l.has(each));
  const names = (found.length ? found : l.names.filter((each) => each !== 't')).slice(0, 4);
  names.forEach((name, i) => {
    const y = ((i + 0.5) * l.height) / Math.max(1, names.length);
    line(l, [[90, y], [l.width - 20, y]], l.soft, 1);
    l.ctx.fillStyle = l.ink;
    l.ctx.font = '12px system-ui, sans-serif';
    l.ctx.textAlign = 'left';
    l.ctx.fillText(`${symbolText(name)} = ${number(l.at(name), 3)}`, 6, y + 4);
    disc(l, l.place(name, 100, l.width - 30), y, 7);
  });
};

const sketches: Record<string, Sketch> = {
  pulled_mass: sliding,
  prescribed_motion: (l) => (l.has('x') && l.has('f') ? pushed(l) : generic(l)),
  mass_under_force: pushed,
  wall_spring_mass: wallSpring,
  mass_on_belt: belt,
  bouncing_mass: bouncing,
  rigid_bounce: bouncing,
  mass_between_walls: betweenWalls,
  rolling_disc: rolling,
  sphere_on_plane: sphere,
  discs: grains,
  spheres: grains,
  magnetostrictive_actuator: actuator,
  multiplay_and_inverse: multiplay,
  planar_body: planar,
  planar_motion: planar,
  gripped_object: gripper,
  positioning_loop: pushed,
  servo_joint: pendulum,
  two_bar_linkage: linkage,
  two_bodies_wall_conveyor: twoBodies,
};

export const laneHeight = 92;
const tallLanes: Record<string, number> = {
  servo_joint: 132,
  two_bar_linkage: 132,
  bouncing_mass: 132,
  rigid_bounce: 132,
  gripped_object: 170,
  planar_body: 132,
  planar_motion: 132,
  discs: 220,
  spheres: 220,
};

// Columns by name, those of grains among them: there may be thousands.
const known = new WeakMap<Column[], Map<string, Column>>();
function byName({ columns, places }: Curve): Map<string, Column> {
  let found = known.get(columns);
  if (!found) {
    found = new Map([...columns, ...(places ?? [])].map((each) => [each.name, each]));
    known.set(columns, found);
  }
  return found;
}

export function draw(
  canvas: HTMLCanvasElement,
  system: string,
  curves: Curve[],
  documents: Table[],
  time: number,
) {
  const shown = curves.filter((each) => !each.isMeasured);
  const width = canvas.clientWidth || 600;
  const tall = tallLanes[system] ?? laneHeight;
  const count = Math.max(1, shown.length);
  const columns = Math.min(count, width < 560 ? 1 : width < 860 || count === 2 || count === 4 ? 2 : 3);
  const rows = Math.ceil(count / columns);
  const height = rows * (tall + 18);
  if (canvas.style.height !== `${height}px`) canvas.style.height = `${height}px`;
  const pixels = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * pixels) || canvas.height !== Math.round(height * pixels)) {
    canvas.width = Math.round(width * pixels);
    canvas.height = Math.round(height * pixels);
  }
  const ctx = canvas.getContext('2d')!;
  ctx.setTransform(pixels, 0, 0, pixels, 0, 0);
  ctx.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const sketch = sketches[system] ?? generic;
  const ranges = new Map<string, [number, number]>();
  const span = (names: string[]): [number, number] => {
    const key = names.join();
    const known = ranges.get(key);
    if (known) return known;
    let low = Infinity;
    let high = -Infinity;
    for (const curve of shown) {
      for (const name of names) {
        const column = columnOf(curve.columns, name);
        if (!column) continue;
        const [least, greatest] = extremesOf(column.values);
        low = Math.min(low, least);
        high = Math.max(high, greatest);
      }
    }
    const result: [number, number] = low <= high ? [low, high] : [0, 1];
    ranges.set(key, result);
    return result;
  };
  shown.forEach((curve, i) => {
    const laneWidth = width / columns - (columns > 1 ? 12 : 0);
    ctx.save();
    ctx.translate((i % columns) * (width / columns + 6), Math.floor(i / columns) * (tall + 18) + 16);
    ctx.fillStyle = curve.colour;
    ctx.font = '600 12px system-ui, sans-serif';
    ctx.textAlign = 'left';
    ctx.fillText(curve.label, 2, -3);
    ctx.beginPath();
    ctx.rect(0, 0, laneWidth, tall);
    ctx.clip();
    const t = columnOf(curve.columns, 't')?.values ?? new Float64Array();
    const columnsOf = byName(curve);
    sketch({
      ctx,
      width: laneWidth,
      height: tall,
      colour: curve.colour,
      ink: colour('--ink'),
      soft: colour('--ink-faint'),
      fill: colour('--paper-raised'),
      time,
      names: [...columnsOf.keys()],
      has: (name) => columnsOf.has(name),
      at: (name, when = time) => {
        const y = columnsOf.get(name)?.values;
        return y ? valueAt(t, y, when) : 0;
      },
      span,
      place(name, from, to, together = []) {
        const [low, high] = span([name, ...together]);
        const share = high > low ? (this.at(name) - low) / (high - low) : 0.5;
        return from + share * (to - from);
      },
      number: (path, otherwise) => {
        const value = documents[i] ? get(documents[i], path) : undefined;
        return typeof value === 'number' ? value : otherwise;
      },
    });
    ctx.restore();
  });
}
