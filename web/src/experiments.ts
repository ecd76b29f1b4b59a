// SPDX-License-Identifier: Apache-2.0

import { addFiles } from './core';

let added: Promise<void> | null = null;

// The files of the published experiments, loaded when they are first asked for.
export const useExperiments = () =>
  (added ??= import('repository:experiments').then(({ default: texts }) => {
    addFiles(Object.fromEntries(Object.entries(texts).map(([id, text]) => [`/experiments/${id}.toml`, text])));
  }));
