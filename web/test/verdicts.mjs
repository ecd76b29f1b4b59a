// SPDX-License-Identifier: Apache-2.0

// Every experiment of the repository in the module of the page: each claim is met, or explained by an erratum,
// as the native tool has it. Usage: node verdicts.mjs [ID ...]

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
const wanted = process.argv.slice(2);
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
  const wrong = list.filter((each) => !['met', 'explained'].includes(each.verdict));
  check(wrong.length === 0, `${id}: ${list.length} verdicts in ${seconds} s ${wrong.map((each) => `claim ${each.claim + 1} (${each.how}): ${each.verdict}, ${each.ours} for ${each.wanted}`).join('; ')}`);
}
console.log(`${verdicts} verdicts`);
finish();
