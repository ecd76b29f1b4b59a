// SPDX-License-Identifier: Apache-2.0

// The library in a thread of its own: the page never waits for it. One call at a time.

import createAsperity from '@core/asperity.mjs';

export interface Request {
  id: number;
  name: string;
  args: unknown[];
}

let ready: Promise<Record<string, any>>;

function buffersOf(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (value instanceof Float64Array) found.push(value.buffer as ArrayBuffer);
  else if (Array.isArray(value)) value.forEach((each) => buffersOf(each, found));
  else if (value && typeof value === 'object') Object.values(value).forEach((each) => buffersOf(each, found));
  return found;
}

self.onmessage = async (message: MessageEvent) => {
  if (message.data.module) {
    const module: WebAssembly.Module = message.data.module;
    ready = createAsperity({
      instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
        WebAssembly.instantiate(module, imports).then(done);
        return {};
      },
    });
    return;
  }
  const { id, name, args } = message.data as Request;
  let answer: any;
  try {
    const core = await ready;
    if (name === 'add_files') {
      for (const [path, text] of Object.entries(args[0] as Record<string, string>)) {
        core.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
        core.FS.writeFile(path, text);
      }
      answer = {};
    } else {
      let told = 0;
      const progress = (fraction: number) => {
        const now = performance.now();
        if (now - told < 50) return;
        told = now;
        postMessage({ id, progress: fraction });
      };
      const part = (columns: unknown) => postMessage({ id, part: columns }, { transfer: buffersOf(columns) });
      answer = core[name](...args.map((each) => (each === 'PROGRESS' ? progress : each === 'PARTS' ? part : each)));
    }
  } catch (problem) {
    // Not an error of the library, which are answers: the module itself has stopped.
    answer = { error: `the computation stopped: ${problem}`, stopped: true };
  }
  if (answer.json) answer.json = JSON.parse(answer.json);
  postMessage({ id, answer }, { transfer: buffersOf(answer) });
};
