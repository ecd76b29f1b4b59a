// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;
const core = join(here, '../build/web/core');

// The texts of a folder of the repository, by path without extension.
function texts(folder: string): Record<string, string> {
  const root = join(here, '..', folder);
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.toml')) continue;
    const file = join(entry.parentPath, entry.name);
    found[relative(root, file).replace(/\.toml$/, '')] = readFileSync(file, 'utf8');
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// import texts from 'repository:experiments'
function repository(): Plugin {
  const prefix = 'repository:';
  return {
    name: 'repository',
    resolveId: (id) => (id.startsWith(prefix) ? '\0' + id : null),
    load: (id) =>
      id.startsWith('\0' + prefix)
        ? `export default ${JSON.stringify(texts(id.slice(prefix.length + 1)))}`
        : null,
  };
}

export default defineConfig({
  root: here,
  base: './',
  plugins: [repository()],
  resolve: { alias: { '@core': core } },
  worker: { format: 'es', plugins: () => [repository()] },
  server: { fs: { allow: [here, core] } },
  build: { outDir: join(here, '../build/web/site'), emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0 },
});
