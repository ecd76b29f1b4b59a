// SPDX-License-Identifier: Apache-2.0

// Every experiment of the repository in the module of the page: each claim is met, or explained by an erratum,
// as the native tool has it, and what is measured is the native number to what integrators promise.
// Usage: node verdicts.mjs CLAIMS [ID ...], where CLAIMS is what `asperity reproduce --json` wrote

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, finish, loadCore, root } from './core.mjs';

const core = await loadCore();
for (const entry of readdirSync(join(root, 'experiments'), { withFileTypes: true, recursive: true })) {
  if (!entry.name.endsWith('.toml')) continue;
  const file = join(entry.parentPath, entry.name);
  const place = '/experiments' + file.slice(join(root, 'experiments').length);
  core.FS.mkdirTree(place.slice(0, place.lastIndexOf('/')));
  core.FS.writeFile(place, readFileSync(file, 'utf8'));
}
const [claims, ...wanted] = process.argv.slice(2);
const native = new Map();
for (const each of JSON.parse(readFileSync(claims, 'utf8')).claims) {
  if (!native.has(each.id)) native.set(each.id, []);
  native.get(each.id).push(each);
}
// Of the larger of the two numbers and of what is wanted: a number that should be 0 is judged by its bounds.
const difference = (a, b, claim) => {
  if (Object.is(a, b) || (a === null && b === null)) return 0;
  const size = Math.max(...[a, b, claim.at_least, claim.at_most, claim.equals, claim.tolerance].filter(Number.isFinite).map(Math.abs));
  return Math.abs(a - b) / size;
};
const differences = [];
const all = JSON.parse(core.list_of_experiments().json).map((each) => each.id);
let verdicts = 0;
for (const id of wanted.length ? wanted : all) {
  const began = performance.now();
  const answer = core.judge_experiment(id, null);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (answer.error) {
    check(false, `${id}: ${answer.error}`);
    continue;
  }
  const list = JSON.parse(answer.json);
  verdicts += list.length;
  const theirs = native.get(id) ?? [];
  list.forEach((each, i) => {
    const other = theirs[i];
    const isSame = other && other.verdict === each.verdict && (other.execution === 'converged') === (each.how === 'converged') && other.ours.length === each.ours.length;
    const worst = isSame ? Math.max(0, ...each.ours.map((value, k) => difference(value, other.ours[k], other))) : Infinity;
    differences.push({ worst, at: `${id} claim ${each.claim + 1} (${each.how}): ${each.ours} and natively ${other?.ours}, ${other?.verdict}` });
  });
  const wrong = list.filter((each) => !['met', 'explained'].includes(each.verdict));
  check(wrong.length === 0, `${id}: ${list.length} verdicts in ${seconds} s ${wrong.map((each) => `claim ${each.claim + 1} (${each.how}): ${each.verdict}, ${each.ours} for ${each.wanted}`).join('; ')}`);
}
console.log(`${verdicts} verdicts`);
differences.sort((a, b) => b.worst - a.worst);
check(differences.length > 0 && differences.every((each) => Number.isFinite(each.worst)), `all have the native verdict ${differences.filter((each) => !Number.isFinite(each.worst)).slice(0, 3).map((each) => each.at)}`);
// Where a motion sticks and slips without end, last digits grow: few values differ more, and none by much.
const share = (of) => differences[Math.floor((1 - of) * differences.length)].worst;
const far = differences.filter((each) => !(each.worst <= 1e-3));
check(share(0.9) <= 1e-6 && far.length <= 0.03 * differences.length && differences[0].worst <= 0.1, `measured values are the native ones: 90 of 100 to ${share(0.9).toExponential(1)}, 97 of 100 to ${share(0.97).toExponential(1)}, 99 of 100 to ${share(0.99).toExponential(1)}, all to ${differences[0].worst.toExponential(1)}; ${far.length} beyond 1e-3, in ${[...new Set(far.map((each) => each.at.split(' ')[0]))]}; the furthest: ${differences[0].at}`);
finish();
