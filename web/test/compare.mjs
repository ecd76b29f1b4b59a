// SPDX-License-Identifier: Apache-2.0

// The module of the page against native programs. Evaluations of every model agree to 1e-12; runs of every
// system to what their integrators promise. Usage: node compare.mjs EVALUATIONS TOOL

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, finish, loadCore, readCsv, root } from './core.mjs';

const [evaluations, tool] = process.argv.slice(2);
const core = await loadCore();
const folder = mkdtempSync(join(tmpdir(), 'asperity-web-'));

// ---- evaluations ----

function parsed(text) {
  const found = new Map();
  for (const line of text.trim().split('\n')) {
    const [model, call, number, ...values] = line.split(' ');
    const key = `${model} ${call}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key)[Number(number) - 1] = values.map(Number);
  }
  return found;
}
const native = parsed(execFileSync(evaluations, { encoding: 'utf8', maxBuffer: 1 << 30 }));
const ours = parsed(core.evaluations());
check(native.size === ours.size && native.size > 100, `${native.size} calls of models and curves on both sides`);
let worst = 0;
let worstAt = '';
let compared = 0;
let notFinite = 0;
for (const [key, rows] of native) {
  const other = ours.get(key) ?? [];
  const width = rows[0].length;
  for (let k = 0; k < width; ++k) {
    const scale = Math.max(...rows.map((row) => (Number.isFinite(row[k]) ? Math.abs(row[k]) : 0)));
    rows.forEach((row, i) => {
      const [a, b] = [row[k], other[i]?.[k]];
      ++compared;
      if (!Number.isFinite(a)) {
        ++notFinite;
        if (!Object.is(a, b)) [worst, worstAt] = [Infinity, `${key} row ${i}: ${a} and ${b}`];
        return;
      }
      const error = scale > 0 ? Math.abs(a - b) / scale : Math.abs(b);
      if (!(error <= worst)) [worst, worstAt] = [error, `${key} row ${i}, number ${k}: ${a} and ${b}`];
    });
  }
}
check(worst <= 1e-12, `${compared} numbers (${notFinite} not finite) agree to 1e-12; worst ${worst.toExponential(1)} (${worstAt})`);

// ---- runs ----

const cards = JSON.parse(core.cards().json);
check(cards.models.length > 40 && cards.systems.length > 15, `${cards.models.length} models, ${cards.systems.length} systems`);
// Discs and spheres that bounce against each other double a difference at every impact.
const isChaotic = (name) => /^(discs|spheres)$/.test(name);
for (const { system } of cards.systems) {
  const card = core.system_card(system);
  if (card.error) {
    check(false, `${system}: ${card.error}`);
    continue;
  }
  const { scenario: text, states } = JSON.parse(card.json);
  const file = join(folder, `${system}.toml`);
  writeFileSync(file, text);
  const out = join(folder, system);
  execFileSync(tool, ['run', file, '--plot', 'none', '--out', out], { stdio: 'pipe' });
  const wanted = readCsv(readFileSync(join(out, 'series.csv'), 'utf8'));
  const began = performance.now();
  const answer = core.run(text, [], false, [], null, null);
  const milliseconds = performance.now() - began;
  if (answer.error) {
    check(false, `${system}: ${answer.error}`);
    continue;
  }
  // States are smooth: all rows count. Other columns may jump (a ratio of forces at touchdown) a step earlier
  // or later, so a hundredth of their rows may differ; residuals of solvers are rounding alone.
  let largest = 0;
  let where = '';
  for (const { name, values } of answer.columns) {
    const other = wanted[name];
    if (!other || other.length !== values.length) {
      [largest, where] = [Infinity, `${name}: ${values.length} rows, natively ${other?.length}`];
      break;
    }
    if (/residual/.test(name)) continue;
    const scale = Math.max(...other.map(Math.abs)) || 1;
    const errors = [...values].map((each, i) => Math.abs(each - other[i]) / scale).sort((a, b) => a - b);
    const isState = states.some((each) => each.name === name);
    const error = errors[isState ? errors.length - 1 : Math.floor(0.99 * (errors.length - 1))];
    if (!(error <= largest)) [largest, where] = [error, name];
  }
  const allowed = isChaotic(system) ? 1e-2 : 1e-4;
  check(largest <= allowed, `run of ${system}: differs by ${largest.toExponential(1)} of a column's size${where ? ` (${where})` : ''}; ${milliseconds.toFixed(0)} ms`);
}

// ---- contact patches ----

const patchText = (patch) => `[patch]\n${Object.entries(patch).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n')}\n`;
// The torque of spinning about the centre of pressure for mu f_n = 1 is the mean distance from it.
for (const [patch, arm, what] of [
  [{ shape: 'disc', radius: 0.02 }, (2 / 3) * 0.02, '2 R/3 of a disc'],
  [{ shape: 'disc', radius: 0.02, pressure: 'hertz' }, ((3 * Math.PI) / 16) * 0.02, '3 pi R/16 of a disc under the pressure of Hertz'],
  [{ shape: 'ring', inner_radius: 0.01, radius: 0.03 }, ((2 / 3) * (0.03 ** 3 - 0.01 ** 3)) / (0.03 ** 2 - 0.01 ** 2), 'that of a ring'],
  [{ shape: 'line', length: 0.1 }, 0.025, 'a quarter of a line'],
]) {
  const answer = core.limit_surface(patchText(patch), 12, 7, 1e-8, null);
  const found = answer.error ? NaN : JSON.parse(answer.json).arm;
  check(Math.abs(found / arm - 1) < 1e-7, `torque of spinning: ${answer.error ?? found} m, ${what}`);
}
{
  const patch = { shape: 'rectangle', width: 0.1, height: 0.04, pressure: 'linear', gradient_x: 8 };
  const out = join(folder, 'surface');
  const settings = Object.entries(patch).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  execFileSync(tool, ['limit-surface', ...settings, '--around', '12', '--up', '7', '--quiet', '--out', out], { stdio: 'pipe' });
  const wanted = readCsv(readFileSync(join(out, 'surface.csv'), 'utf8'));
  const { columns, json } = core.limit_surface(patchText(patch), 12, 7, 1e-8, null);
  const { worst, arm } = JSON.parse(json);
  const differences = columns.flatMap(({ name, values }) => [...values].map((each, i) => Math.abs(each - wanted[name][i]) / (name === 'torque' ? arm : 1)));
  check(differences.length === 3 * 84 && Math.max(...differences) < 1e-9, `limit surface of a leaning box: ${differences.length} numbers differ by ${Math.max(...differences).toExponential(1)} at most`);
  // Coulomb friction is never more than mu f_n, and each point has an opposite one.
  const [x, y] = columns.map((each) => each.values);
  check(x.every((each, i) => Math.hypot(each, y[i]) < 1 + 1e-8) && worst > 0 && worst < 1, `no force above mu f_n; the ellipsoid is off by ${(100 * worst).toFixed(2)} %`);
}
{
  const file = join(root, 'examples/pushed_box.toml');
  const out = join(folder, 'slip');
  execFileSync(tool, ['slip-map', file, '--count', '6', '--quiet', '--out', out], { stdio: 'pipe' });
  const wanted = readCsv(readFileSync(join(out, 'cells.csv'), 'utf8'));
  const began = performance.now();
  const { columns, shares, json } = core.slip_map(readFileSync(file, 'utf8'), 6, null);
  const milliseconds = performance.now() - began;
  const { pictures } = JSON.parse(json);
  const [x, y] = columns.map((each) => each.values);
  const cells = x.length;
  const isPlaced = pictures.length === 6 && wanted.t.length === 6 * cells && pictures.every((each, k) => [...x].every((_, i) => Math.abs(wanted.t[k * cells + i] - each.t) < 1e-9 && wanted.x[k * cells + i] === x[i] && wanted.y[k * cells + i] === y[i]));
  check(isPlaced, `slip map: ${cells} cells at ${pictures.map((each) => each.t.toFixed(3)).join(', ')} s`);
  // Shares of the limit are smooth in time but where a cell begins to slip.
  const errors = shares.flatMap((list, k) => [...list].map((each, i) => Math.abs(each - wanted.share_of_limit[k * cells + i]) / Math.max(1, Math.abs(each)))).sort((a, b) => a - b);
  const slips = shares.map((list) => list.filter((each) => each > 1).length);
  check(errors[Math.floor(0.99 * errors.length)] < 1e-6 && slips.some((each) => each === 0) && slips.some((each) => each === cells), `its shares of the limit differ by ${errors[Math.floor(0.99 * errors.length)].toExponential(1)} (99 of 100), ${errors.at(-1).toExponential(1)} (all); cells that slip: ${slips}; ${milliseconds.toFixed(0)} ms`);
}

// ---- hostile input comes back as words ----

for (const [what, answer] of [
  ['a file that is not TOML', core.run('[system', [], false, [], null, null)],
  ['an unknown system', core.run("system = { kind = 'nothing' }", [], false, [], null, null)],
  ['bytes that are not UTF-8', core.run('title = "\xff\xfe"\n', [], false, [], null, null)],
  ['an unknown model', core.model_card('nothing', '')],
  ['an inclusion without states', core.inclusion_card("system = { kind = 'inclusion' }")],
  ['a table that is no table', core.measured_columns('', 'empty.csv')],
  ['a scenario without a patch', core.limit_surface('title = "none"', 12, 7, 1e-8, null)],
  ['a patch of no size', core.limit_surface(patchText({ shape: 'disc', radius: 0 }), 12, 7, 1e-8, null)],
  ['a patch of a file, which the page has not', core.limit_surface(patchText({ shape: 'grid', file: 'no.csv' }), 12, 7, 1e-8, null)],
  ['a slip map of a system without cells', core.slip_map(JSON.parse(core.system_card('pulled_mass').json).scenario, 6, null)],
]) {
  check(typeof answer.error === 'string' && answer.error.length > 10, `${what}: ${answer.error}`);
}
check(!core.run(JSON.parse(core.system_card('pulled_mass').json).scenario, [], false, [], null, null).error, 'and the module still works');

rmSync(folder, { recursive: true });
finish();
