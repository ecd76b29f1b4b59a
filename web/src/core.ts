// SPDX-License-Identifier: Apache-2.0

// Calls of the library: a few workers that share one compiled module. A call can be abandoned; a worker
// that is busy with one that nobody waits for is ended and replaced.

import wasmUrl from '@core/asperity.wasm?url';

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}
export interface Answer<T = any> {
  json: T;
  columns: Column[];
  audit?: { t: Float64Array; columns: Column[] };
  shares?: Float64Array[];
  tables?: Column[][];
  text?: string;
}
interface Job {
  id: number;
  name: string;
  args: unknown[];
  group: string;
  progress?: (fraction: number) => void;
  part?: (columns: Column[]) => void;
  resolve: (answer: Answer) => void;
  reject: (problem: Error) => void;
}
interface Slot {
  worker: Worker;
  job: Job | null;
  began: number;
}

export class Abandoned extends Error {}

const most = Math.max(1, Math.min(3, (navigator.hardwareConcurrency || 2) - 1));
let module: Promise<WebAssembly.Module> | null = null;
let files: Record<string, string> = {};
const slots: Slot[] = [];
let queue: Job[] = [];
let next = 1;

async function compile(): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(wasmUrl);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (problem) {
    throw new Error(`the library could not be loaded (${(problem as Error).message}): load the page again`);
  }
}

function start(): Slot {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const slot: Slot = { worker, job: null, began: 0 };
  worker.onmessage = (message) => {
    const { id, progress, part, answer } = message.data;
    const job = slot.job;
    if (!job || job.id !== id) return;
    if (progress !== undefined) {
      job.progress?.(progress);
      return;
    }
    if (part !== undefined) {
      job.part?.(part);
      return;
    }
    slot.job = null;
    if (answer.stopped) replace(slot);
    if (answer.error !== undefined) job.reject(new Error(answer.error));
    else job.resolve(answer);
    work();
  };
  worker.onerror = (event) => {
    const job = slot.job;
    slot.job = null;
    replace(slot);
    job?.reject(new Error(`the worker stopped: ${event.message}`));
    work();
  };
  module ??= compile();
  module.then(
    (compiled) => {
      worker.postMessage({ module: compiled });
      if (Object.keys(files).length) worker.postMessage({ id: 0, name: 'add_files', args: [files] });
      work();
    },
    (problem) => {
      slot.job?.reject(problem);
    },
  );
  return slot;
}

function replace(slot: Slot) {
  slot.worker.terminate();
  const at = slots.indexOf(slot);
  if (at >= 0) slots[at] = start();
}

function work() {
  while (queue.length) {
    let free = slots.find((each) => each.job === null);
    if (!free && slots.length < most) {
      free = start();
      slots.push(free);
    }
    if (!free) return;
    const job = queue.shift()!;
    const slot = free;
    slot.job = job;
    slot.began = performance.now();
    module!
      .then(() => {
        if (slot.job === job) slot.worker.postMessage({ id: job.id, name: job.name, args: job.args });
      })
      .catch((problem) => {
        if (slot.job === job) slot.job = null;
        job.reject(problem);
        work();
      });
  }
}

// Answers of the library; rejects with its words. `group` names calls that can be abandoned together; `part`
// is shown what a run has recorded so far.
export function call<T = any>(
  name: string,
  args: unknown[],
  options: { group?: string; progress?: (fraction: number) => void; part?: (columns: Column[]) => void } = {},
): Promise<Answer<T>> {
  return new Promise((resolve, reject) => {
    queue.push({
      id: next++,
      name,
      args,
      group: options.group ?? '',
      progress: options.progress,
      part: options.part,
      resolve,
      reject,
    });
    work();
  });
}

// Calls of this group are given up. A call that is nearly done is cheaper to finish than a new worker:
// only those that have lasted longer than `patience` milliseconds are stopped at once.
export function abandon(group: string, patience = 200) {
  const dropped = queue.filter((each) => each.group === group);
  queue = queue.filter((each) => each.group !== group);
  for (const slot of slots) {
    if (!slot.job || slot.job.group !== group) continue;
    if (performance.now() - slot.began > patience) {
      dropped.push(slot.job);
      slot.job = null;
      replace(slot);
    }
  }
  dropped.forEach((each) => each.reject(new Abandoned('abandoned')));
  work();
}

// Grants wishes one at a time, the newest next: while a slider moves, answers come as fast as they can be had
// and none is waited for in vain. One that takes long is given up when a newer wish is there.
export class Newest {
  private wishes = 0;
  private stops = 0;
  private began = 0;
  private lasted = 0; // milliseconds of the last one that was granted
  private timer: ReturnType<typeof setTimeout> | undefined;
  private granting: Promise<void> | null = null;

  // `grant` is told whether anybody still waits for what it found.
  constructor(
    private readonly group: string,
    private readonly grant: (isWanted: () => boolean) => Promise<void>,
  ) {}

  // Done when nothing is wished for any more.
  ask(): Promise<void> {
    ++this.wishes;
    if (!this.granting) {
      this.granting = this.work();
      return this.granting;
    }
    const patience = this.lasted < 4000 ? Math.max(1000, 2 * this.lasted) : 150;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => abandon(this.group, 0), Math.max(0, this.began + patience - performance.now()));
    return this.granting;
  }

  private async work() {
    const stops = this.stops;
    const isWanted = () => stops === this.stops;
    let granted = 0;
    try {
      while (isWanted() && granted !== this.wishes) {
        granted = this.wishes;
        this.began = performance.now();
        try {
          await this.grant(isWanted);
          this.lasted = performance.now() - this.began;
        } catch (problem) {
          if (!(problem instanceof Abandoned)) throw problem;
        }
        if (isWanted()) clearTimeout(this.timer);
      }
    } finally {
      if (isWanted()) this.granting = null;
    }
  }

  stop() {
    ++this.stops;
    this.granting = null;
    clearTimeout(this.timer);
    abandon(this.group, 0);
  }
}

// Files that the library may read, in every worker.
export function addFiles(more: Record<string, string>) {
  files = { ...files, ...more };
  for (const slot of slots) slot.worker.postMessage({ id: 0, name: 'add_files', args: [more] });
}
