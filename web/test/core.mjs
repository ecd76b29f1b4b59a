// SPDX-License-Identifier: Apache-2.0

// The module of the page, loaded in node.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export async function loadCore() {
  const folder = join(root, 'build/web/core');
  const { default: create } = await import(join(folder, 'asperity.mjs'));
  return create({ wasmBinary: readFileSync(join(folder, 'asperity.wasm')) });
}

// What went wrong so far; a test program ends with `finish`.
let failed = 0;
export function check(holds, what) {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) ++failed;
}
export function finish() {
  console.log(failed ? `${failed} failed` : 'all hold');
  process.exit(failed ? 1 : 0);
}

export function readCsv(text) {
  const lines = text.split('\n').filter((each) => each && !each.startsWith('#'));
  const names = lines[0].split(',');
  const rows = lines.slice(1).map((each) => each.split(',').map(Number));
  return Object.fromEntries(names.map((name, i) => [name, rows.map((row) => row[i])]));
}
