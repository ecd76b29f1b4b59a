// SPDX-License-Identifier: Apache-2.0

// The module of the page against native programs. Evaluations of every model agree to 1e-12; runs of every
// system to what their integrators promise. Usage: node compare.mjs EVALUATIONS TOOL

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, finish, loadCore, readCsv } from './core.mjs';

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
  const answer = core.run(text, [], false, [], null);
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

// ---- hostile input comes back as words ----

for (const [what, answer] of [
  ['a file that is not TOML', core.run('[system', [], false, [], null)],
  ['an unknown system', core.run("system = { kind = 'nothing' }", [], false, [], null)],
  ['bytes that are not UTF-8', core.run('title = "\xff\xfe"\n', [], false, [], null)],
  ['an unknown model', core.model_card('nothing', '')],
  ['an inclusion without states', core.inclusion_card("system = { kind = 'inclusion' }")],
  ['a table that is no table', core.measured_columns('', 'empty.csv')],
]) {
  check(typeof answer.error === 'string' && answer.error.length > 10, `${what}: ${answer.error}`);
}
check(!core.run(JSON.parse(core.system_card('pulled_mass').json).scenario, [], false, [], null).error, 'and the module still works');

rmSync(folder, { recursive: true });
finish();
