// SPDX-License-Identifier: Apache-2.0

// The page as it was built, served here and opened in chromium without a screen.

import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { root } from './core.mjs';

const server = await preview({ root: join(root, 'web'), configFile: join(root, 'web/vite.config.ts'), preview: { port: 0, host: '127.0.0.1' }, logLevel: 'silent' });
export const address = `http://127.0.0.1:${server.httpServer.address().port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// What the browser complained of, and what was asked for elsewhere.
export const complaints = [];
export const foreign = [];
export async function openPage(options = {}, from = address) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: from.slice(0, -1) });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (problem) => complaints.push(String(problem)));
  page.on('request', (request) => {
    if (!request.url().startsWith(from) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  return page;
}
export const settled = async (page) => {
  await page.waitForFunction(() => {
    const lab = window.asperity?.lab();
    return lab && lab.shown.length && !lab.element.hasAttribute('data-busy');
  }, null, { timeout: 120000 });
};
export const go = async (page, hash) => {
  await page.evaluate((to) => {
    window.asperity.lab() && (window.asperity.lab().shown = []);
    location.hash = to;
  }, hash);
};
export const problems = (page) => page.evaluate(() => [...window.asperity.lab().shown.map((each) => each.problem), document.querySelector('.status .problem')?.textContent ?? ''].filter(Boolean));
export async function close() {
  await browser.close();
  await server.close();
}
