// SPDX-License-Identifier: Apache-2.0

// What the lab shows, and the same as an address: whoever opens the link sees what the sender saw.

import { isSafe, type Value } from './scenario';

export const mostRuns = 6;
const mostPanels = 24;

// Of the words in a link. A page that does not know a link's version says so, and guesses nothing.
export const version = 1;

// A link is untrusted: a few kilobytes of it can stand for gigabytes of text.
const longest = 1 << 20; // [characters] of a document

export interface RunChoice {
  base: number; // which of the documents it starts from; experiments have several
  model: string; // in the compared table; empty: the one in the document
  set: Record<string, Value>; // changes of this run alone
}
export interface PanelChoice {
  x: string;
  y: string;
}
export interface LabState {
  from: string; // system:pulled_mass, example:stick_slip, experiment:xiong_2013/fig_3_4, or text
  text: string; // the document, where it is the user's own
  table: string; // whose model is compared; empty: the first there is
  runs: RunChoice[];
  set: Record<string, Value>; // changes of all runs
  panels: PanelChoice[]; // empty: chosen from the columns
  measures: string[]; // maximum(f)
  time: number | null;
}

export const emptyState = (from: string): LabState => ({
  from,
  text: '',
  table: '',
  runs: [],
  set: {},
  panels: [],
  measures: [],
  time: null,
});

async function squeezed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  bytes.forEach((each) => (binary += String.fromCharCode(each)));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function unsqueezed(text: string): Promise<string> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let result = '';
  for (let part; !(part = await reader.read()).done; ) {
    result += part.value;
    if (result.length > longest) {
      await reader.cancel();
      throw new Error(`the text in this link is longer than ${longest} characters`);
    }
  }
  return result;
}

const changes = (set: Record<string, Value>) =>
  Object.entries(set).map(([path, value]) => `${path}=${JSON.stringify(value)}`);

function readChanges(list: string[]): Record<string, Value> {
  const set: Record<string, Value> = {};
  for (const each of list) {
    const at = each.indexOf('=');
    if (at < 1 || !isSafe(each.slice(0, at))) continue;
    try {
      set[each.slice(0, at)] = structuredClone(JSON.parse(each.slice(at + 1))); // refuses what is nested too deeply
    } catch {
      // A damaged link: the rest of it still counts.
    }
  }
  return set;
}

export async function toHash(state: LabState): Promise<string> {
  const to = new URLSearchParams();
  to.set('v', String(version));
  to.set('from', state.from);
  if (state.text) to.set('text', await squeezed(state.text));
  if (state.table) to.set('table', state.table);
  for (const run of state.runs) to.append('run', [`${run.base}:${run.model}`, ...changes(run.set)].join('~'));
  for (const each of changes(state.set)) to.append('set', each);
  for (const each of state.panels) to.append('panel', `${each.x}/${each.y}`);
  for (const each of state.measures) to.append('measure', each);
  if (state.time !== null) to.set('t', String(state.time));
  return `#lab?${to}`;
}

// Null where the address names nothing. Throws where it cannot be read; parts that are damaged are left out.
export async function fromHash(hash: string): Promise<LabState | null> {
  const at = hash.indexOf('?');
  if (at < 0) return null;
  const from = new URLSearchParams(hash.slice(at + 1));
  const start = from.get('from');
  if (!start) return null;
  const of = from.get('v') ?? String(version);
  if (of !== String(version)) {
    throw new Error(`this link is of version '${of.slice(0, 20)}', and this page reads version ${version}: open it in the page that made it, or choose a system in the settings`);
  }
  const state = emptyState(start);
  try {
    if (from.has('text')) state.text = await unsqueezed(from.get('text')!);
  } catch (problem) {
    throw new Error(`the text in this link cannot be read: ${(problem as Error).message || 'it is damaged'}`);
  }
  state.table = from.get('table') ?? '';
  for (const each of from.getAll('run').slice(0, mostRuns)) {
    const [head, ...rest] = each.split('~');
    const colon = head.indexOf(':');
    state.runs.push({ base: Number(head.slice(0, colon)) || 0, model: head.slice(colon + 1), set: readChanges(rest) });
  }
  state.set = readChanges(from.getAll('set'));
  state.panels = from
    .getAll('panel')
    .slice(0, mostPanels)
    .map((each) => ({ x: each.split('/')[0], y: each.split('/')[1] ?? '' }))
    .filter((each) => each.x && each.y);
  state.measures = from.getAll('measure').slice(0, 12);
  const time = Number(from.get('t') ?? NaN);
  state.time = Number.isFinite(time) ? time : null;
  return state;
}
