// SPDX-License-Identifier: Apache-2.0

// Scenarios as plain data, as the library reads them from TOML.

export type Value = string | number | boolean | Value[] | Table;
export interface Table {
  [key: string]: Value;
}

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function get(table: Table, path: string): Value | undefined {
  let at: Value | undefined = table;
  for (const key of path.split('.')) {
    if (Array.isArray(at)) at = at[Number(key) - 1];
    else if (isTable(at)) at = Object.hasOwn(at, key) ? at[key] : undefined;
    else return undefined;
  }
  return at;
}

// Names that would lead out of the document, which a link could hold.
export const isSafe = (path: string) => !path.split('.').some((each) => ['__proto__', 'constructor', 'prototype'].includes(each));

// Undefined removes the key.
export function set(table: Table, path: string, value: Value | undefined) {
  if (!isSafe(path)) return;
  const keys = path.split('.');
  const last = keys.pop()!;
  let at: any = table;
  // In a list the place of a value that is there, or the next: a link could ask for a list of any length.
  const placeOf = (key: string) => {
    if (!Array.isArray(at)) return key;
    const place = Number(key) - 1;
    return Number.isInteger(place) && place >= 0 && place <= at.length ? place : null;
  };
  for (const key of keys) {
    const place = placeOf(key);
    if (place === null) return;
    if (!Object.hasOwn(at, place) || typeof at[place] !== 'object') at[place] = {};
    at = at[place];
  }
  const place = placeOf(last);
  if (place === null) return;
  if (value === undefined) delete at[place];
  else at[place] = structuredClone(value);
}

// Texts with units become the numbers in SI that the library understood.
export function inSi(given: Table, understood: Table): Table {
  const walk = (value: Value, other: Value | undefined): Value => {
    if (typeof value === 'string') return typeof other === 'number' ? other : value;
    if (Array.isArray(value)) {
      return value.map((each, i) => walk(each, Array.isArray(other) ? other[i] : undefined));
    }
    if (!isTable(value)) return value;
    const result: Table = {};
    for (const [key, each] of Object.entries(value)) {
      result[key] = walk(each, isTable(other) ? other[key] : undefined);
    }
    return result;
  };
  return walk(given, understood) as Table;
}

const key = (name: string) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));

function inline(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (isTable(value)) {
    return `{ ${Object.entries(value).map(([name, each]) => `${key(name)} = ${inline(each)}`).join(', ')} }`;
  }
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  return String(value);
}
export { inline as inlineToml };

export function toToml(table: Table, place = ''): string {
  const plain: string[] = [];
  const tables: string[] = [];
  for (const [name, value] of Object.entries(table)) {
    if (isTable(value)) {
      const path = place ? `${place}.${key(name)}` : key(name);
      const inside = toToml(value, path);
      const hasPlain = Object.values(value).some((each) => !isTable(each)) || !Object.keys(value).length;
      tables.push((hasPlain ? `\n[${path}]\n` : '') + inside);
    } else {
      plain.push(`${key(name)} = ${inline(value)}\n`);
    }
  }
  return plain.join('') + tables.join('');
}
