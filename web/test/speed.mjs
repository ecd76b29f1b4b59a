// SPDX-License-Identifier: Apache-2.0

// How long a step takes in the module of the page against the native tool: RK4 with steps of 10 us, one thread.
// Of a long run and a short one the difference in processor time counts, so that starting, reading and writing
// do not; the least of a few runs each, natively and here in turn. Times are told, not judged: other programs
// run beside this one. Usage: node speed.mjs TOOL [MODEL ...]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, finish, loadCore } from './core.mjs';

const [tool, ...wanted] = process.argv.slice(2);
const times = 5;
const durations = { short: 0.2, long: 10.2 };
const steps = 1e6; // between the two
const core = await loadCore();
const folder = mkdtempSync(join(tmpdir(), 'asperity-speed-'));
const card = JSON.parse(core.system_card('pulled_mass').json);
const { families } = card.keys.find((each) => each.key === 'friction');
const models = JSON.parse(core.cards().json).models.filter((each) => families.includes(each.family)).map((each) => each.model);
const text = (model, duration) => `[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "${model}"
[integrator]
method = "rk4"
step = 1e-5
[run]
duration = ${duration}
sample = 0.1
`;

// Processor time in seconds.
function natively(model, which) {
  const file = join(folder, `${which}.toml`);
  writeFileSync(file, text(model, durations[which]));
  const script = 'TIMEFORMAT=%U; time "$0" run "$1" --plot none --quiet --force --out "$2" 2>/dev/null';
  return Number(execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, tool, file, join(folder, 'out')], { encoding: 'utf8' }).trim().split('\n').at(-1));
}
function here(model, which) {
  const began = process.cpuUsage().user;
  const answer = core.run(text(model, durations[which]), [], false, [], null, null);
  const seconds = (process.cpuUsage().user - began) / 1e6;
  return answer.error || JSON.parse(answer.json).outcome !== 'completed' ? NaN : seconds;
}

const ratios = [];
for (const model of wanted.length ? wanted : models) {
  if (Number.isNaN(here(model, 'short'))) {
    if (wanted.length) check(false, `${model}: RK4 cannot run it`);
    continue; // a law of another kind, which RK4 cannot step
  }
  here(model, 'long'); // by then it is compiled to its best
  const least = { native: { short: Infinity, long: Infinity }, here: { short: Infinity, long: Infinity } };
  for (let i = 0; i < times; ++i) {
    for (const which of ['short', 'long']) {
      least.native[which] = Math.min(least.native[which], natively(model, which));
      least.here[which] = Math.min(least.here[which], here(model, which));
    }
  }
  const [native, ours] = [least.native, least.here].map((each) => (1e9 * (each.long - each.short)) / steps);
  ratios.push({ model, ratio: ours / native });
  console.log(`     ${model.padEnd(26)} ${native.toFixed(0)} ns a step natively, ${ours.toFixed(0)} ns here: ${(ours / native).toFixed(2)} times`);
}
ratios.sort((a, b) => a.ratio - b.ratio);
const middle = ratios[Math.floor(ratios.length / 2)];
check(ratios.length > 0 && ratios.every((each) => each.ratio > 0), `RK4 here against native, ${ratios.length} models: ${middle?.ratio.toFixed(2)} times in the middle, ${ratios.at(-1)?.ratio.toFixed(2)} at most (${ratios.at(-1)?.model}), ${ratios.filter((each) => each.ratio <= 1.5).length} within 1.5`);
rmSync(folder, { recursive: true });
finish();
