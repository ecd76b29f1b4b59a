// SPDX-License-Identifier: Apache-2.0

// Whoever sends a link or a file must not be able to run anything in the page, to stop it, or to write into what
// a visitor takes along. Usage: node untrusted.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { address, close, complaints, foreign, openPage } from './browser.mjs';
import { check, finish } from './core.mjs';

const page = await openPage();
await page.goto(address);

// What a link can be made of.
const squeezed = (text) => deflateRawSync(Buffer.from(text)).toString('base64url');
const link = (entries) => `#lab?${new URLSearchParams(entries)}`;
const markup = '<img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload="window.hit=1">';
const quoted = `"' onfocus="window.hit=1" autofocus x="`;
const scenario = (title, more = '') => `title = ${JSON.stringify(title)}
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "dahl"
[run]
duration = 1
${more}`;

// Opens it and waits until the page has answered: with curves, or with what is wrong.
async function follow(hash, seconds) {
  await page.evaluate((to) => {
    const lab = window.asperity.lab();
    if (lab) {
      lab.shown = [];
      document.querySelector('.status .problem')?.remove();
    }
    location.hash = to;
  }, hash);
  return answered(seconds);
}
async function answered(seconds = 60) {
  for (let i = 0; i < seconds * 20; ++i) {
    const found = await page.evaluate(() => {
      const lab = window.asperity?.lab();
      const problem = document.querySelector('.status .problem')?.textContent;
      if (!lab || lab.element.hasAttribute('data-busy') || !(lab.shown.length || problem)) return null;
      return { problem: problem ?? '', runs: lab.shown.map((each) => each.problem), heading: document.querySelector('h1').textContent };
    });
    if (found) return found;
    await page.waitForTimeout(50);
  }
  return { problem: 'NO ANSWER', runs: [], heading: '' };
}
// Elements that nobody but a sender could have made, and what they would have done.
const strange = () =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll('body img, body script:not([src]), iframe, object, embed, [onerror], [onload], [onfocus], [onclick], [autofocus], a[href^="javascript"]')].map((each) => each.outerHTML.slice(0, 80));
    if (window.hit) found.push('it ran');
    if (({}).polluted !== undefined) found.push('a prototype was changed');
    return found;
  });
async function harmless(what, hash, isRight = (answer) => answer.problem !== 'NO ANSWER', seconds = 60) {
  const heard = complaints.length;
  const answer = await follow(hash, seconds);
  const found = await strange();
  const said = complaints.slice(heard);
  if (answer.problem === 'NO ANSWER' && !(await page.locator('.lab').count())) answer.problem = 'a page without the lab';
  check(isRight(answer) && !found.length && !said.length, `${what}: ${[answer.problem, ...answer.runs].filter(Boolean).join(' | ').replaceAll('\n', ' ').slice(0, 110) || 'runs'} ${[...found, ...said].join(' | ')}`);
}
const runs = (answer) => !answer.problem && answer.runs.length > 0 && answer.runs.every((each) => !each);
const refused = (answer) => answer.problem !== 'NO ANSWER' && (answer.problem || answer.runs.some(Boolean));

// ---- every key of a link ----
for (const [name, text] of Object.entries({ markup, quoted })) {
  const base = { from: 'system:pulled_mass' };
  for (const kind of ['system:', 'example:', 'experiment:', '']) await harmless(`${name} as ${kind || 'the kind of'} start`, link({ from: kind + text }), refused);
  await harmless(`${name} as a version`, link({ ...base, v: text }), refused);
  await harmless(`${name} as text`, link({ from: 'text', text }), refused);
  await harmless(`${name} as a table`, link({ ...base, table: text }), runs);
  await harmless(`${name} as a model`, link({ ...base, run: `0:${text}` }), refused);
  await harmless(`${name} as a value of a run`, link([['from', base.from], ['run', `0:dahl~friction.F_c=${JSON.stringify(text)}`], ['run', `0:dahl~friction.${text}=1`]]), refused);
  await harmless(`${name} as a value`, link({ ...base, set: `system.mass=${JSON.stringify(text)}` }), refused);
  await harmless(`${name} as a key`, link({ ...base, set: `system.${text}=1` }));
  await harmless(`${name} as a curve`, link({ ...base, run: '0:lugre', set: `friction.curve=${JSON.stringify(text)}` }), refused);
  await harmless(`${name} as panels`, link([['from', base.from], ['panel', `${text}/${text}`], ['panel', `t/${text}`]]), runs);
  await harmless(`${name} as a measure`, link({ ...base, measure: text }), runs);
  await harmless(`${name} as a time`, link({ ...base, t: text }), runs);
  await harmless(`${name} as a title`, link({ from: 'text', text: squeezed(scenario(text)) }), (answer) => runs(answer) && answer.heading === text);
  await harmless(`${name} as a word of the text`, link({ from: 'text', text: squeezed(scenario('a', `${JSON.stringify(text)} = 1`)) }), refused);
  for (const route of ['experiment', 'lesson', 'lessons', 'gallery', 'nothing']) await harmless(`${name} behind #${route}`, `#${route}/${encodeURIComponent(text)}`, () => true, 1);
}

// ---- prototypes, sizes, versions ----
await harmless('prototypes', link([['from', 'system:pulled_mass'], ['run', '0:~constructor.prototype.polluted=1'], ['set', '__proto__.polluted=1'], ['set', 'system.mass={"__proto__":{"polluted":1}}']]));
for (const name of ['constructor', '__proto__', 'toString']) await harmless(`an example called ${name}`, link({ from: `example:${name}` }), refused);
await harmless('a page called constructor', '#constructor', () => true, 1);
check((await page.title()) === 'Lab – Asperity', `its title: ${await page.title()}`);
await harmless('an experiment that is no text', '#experiment/%E0%A4%A', refused);
await harmless('an experiment that is not there', '#experiment/nothing/at_all', refused);
await harmless('an experiment outside its folder', `#experiment/${encodeURIComponent('../../dev/stdin')}`, refused);
await harmless('a version of tomorrow', link({ v: '2', from: 'system:pulled_mass' }), (answer) => /version '2'.*version 1/.test(answer.problem));
check((await page.locator('.controls select[data-name=system]').count()) === 1, 'and a system can be chosen');
await harmless('a link of today', link({ v: '1', from: 'system:pulled_mass' }), runs);
await harmless('a text of 64 MB in 87 kB', link({ from: 'text', text: deflateRawSync(Buffer.alloc(64e6, 'x')).toString('base64url') }), (answer) => /longer than/.test(answer.problem));
await harmless('a text that is cut off', link({ from: 'text', text: squeezed(scenario('a')).slice(0, 40) }), refused);
await harmless('a list of a thousand million', link({ from: 'text', text: squeezed(scenario('a', '[initial]\nx = 0')), set: 'plot.1000000000=1' }));
await harmless('a place beyond a list', link([['from', 'system:pulled_mass'], ['set', 'friction.a=[1]'], ['set', 'friction.a.4000000000=1']]));
await harmless('a value a hundred thousand lists deep', link({ from: 'system:pulled_mass', set: `system.mass=${'['.repeat(1e5)}${']'.repeat(1e5)}` }), runs);
await harmless('more samples than memory', link([['from', 'system:pulled_mass'], ['set', 'run.sample=1e-12'], ['set', 'run.duration=1e3']]), refused);
await harmless('a thousand runs, panels and measures', link([['from', 'system:pulled_mass'], ...Array.from({ length: 1000 }, (_, i) => [['run', '0:dahl'], ['panel', 't/x'], ['measure', `maximum(x${i})`]]).flat()]), (answer) => runs(answer) && answer.runs.length === 6);
await harmless('a time before the start', link({ from: 'system:pulled_mass', t: '-5' }), runs);
check((await page.locator('.clock').textContent()).startsWith('0.'), `the clock: ${await page.locator('.clock').textContent()}`);
await harmless('a model that is a number', link([['from', 'system:pulled_mass'], ['set', 'friction.model=7']]), refused);
await harmless('a table that is a number', link([['from', 'system:pulled_mass'], ['set', 'friction=7']]), () => true);
await harmless('and afterwards', link({ from: 'system:pulled_mass' }), runs);

// ---- what is taken along ----
{
  const folder = mkdtempSync(join(tmpdir(), 'asperity-untrusted-'));
  // The ends of the texts around it, as values and as keys that the library lets through.
  const title = `)toml" """ ''' \nEND\n $(touch hit) \`touch hit\` </svg>${markup})toml`;
  await harmless('a title with the ends of all texts', link({ from: 'text', text: squeezed(scenario(title)) }), runs);
  const textOf = (name) => page.evaluate(async (which) => {
    const details = document.querySelector(`details[data-text="${which}"]`);
    details.open = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return details.querySelector('code').textContent;
  }, name);
  const toml = await textOf('Scenario file');
  const line = await textOf('Command line');
  const got = execFileSync('bash', ['-c', `asperity() { cat "$2"; }\n${line}`], { cwd: folder, encoding: 'utf8' });
  check(got === toml && execFileSync('ls', [folder], { encoding: 'utf8' }) === 'scenario.toml\n', 'the command line writes that scenario and does nothing else');
  writeFileSync(join(folder, 'run.py'), await textOf('Python'));
  const parsed = execFileSync('python3', ['-c', 'import ast,sys; b = ast.parse(open("run.py").read()).body; print(len(b), b[1].value.args[0].value, end="")'], { cwd: folder, encoding: 'utf8' });
  check(parsed === `4 \n${toml}`, 'the Python text holds it whole');
  const cpp = await textOf('C++');
  const [, end] = /R"(\w+)\(/.exec(cpp);
  check(cpp.split(`)${end}"`).length === 2 && cpp.split(`R"${end}(\n`)[1].split(`)${end}"`)[0] === toml, `the C++ text holds it whole, up to )${end}"`);
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.take').getByRole('button', { name: 'SVG', exact: true }).click()]);
  const svg = readFileSync(await file.path(), 'utf8');
  const inside = await page.evaluate((text) => {
    const tree = new DOMParser().parseFromString(text, 'image/svg+xml');
    return [tree.querySelector('parsererror')?.textContent ?? '', ...[...tree.querySelectorAll('*')].filter((each) => !['svg', 'g', 'path', 'text', 'rect', 'polyline'].includes(each.localName) || [...each.attributes].some((one) => one.name.startsWith('on'))).map((each) => each.localName)].filter(Boolean);
  }, svg);
  check(!inside.length && svg.includes('touch hit'), `the picture is a picture ${inside}`);
  rmSync(folder, { recursive: true });
}

// ---- files ----
{
  const drop = async (name, bytes, target = '.drop') => {
    await page.evaluate(({ file, list, on }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(list), (each) => each.charCodeAt(0))], file));
      document.querySelector(on).dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, { file: name, list: Buffer.from(bytes).toString('base64'), on: target });
    for (let i = 0; i < 600; ++i) {
      const told = await page.evaluate(() => (document.querySelector('.drop')?.textContent.includes('Reading') ? null : { problem: document.querySelector('.drop .problem')?.textContent ?? '', names: [...(document.querySelector('select[data-measured=t]')?.options ?? [])].map((each) => each.textContent), rows: window.asperity.lab().measured?.columns[0].values.length ?? 0 }));
      if (told) return told;
      await page.waitForTimeout(50);
    }
    return { problem: 'NO ANSWER', names: [], rows: 0 };
  };
  await follow(link({ from: 'system:prescribed_motion', run: '0:dahl' }));
  const rows = Array.from({ length: 50 }, (_, i) => `${i / 50},${Math.sin(i / 8)},${Math.cos(i / 8)}`).join('\n');
  const cases = [
    ['empty.csv', '', (told) => told.problem && told.problem !== 'NO ANSWER'],
    ['head.csv', 't,x,f\n', (told) => told.problem && told.problem !== 'NO ANSWER'],
    ['nothing.csv', Buffer.alloc(1000), (told) => told.problem && told.problem !== 'NO ANSWER'],
    ['noise.csv', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * i * 31 + 7) & 255)), (told) => told.problem !== 'NO ANSWER'],
    ['latin.csv', Buffer.from(`t,Weg [\u00b5m],Kr\u00e4fte\n${rows}\n`, 'latin1'), (told) => told.rows === 50 && told.names[3].includes('Kr\u00e4fte')],
    ['utf16.csv', Buffer.from(`\ufefft,x,Kr\u00e4fte\n${rows}\n`, 'utf16le'), (told) => told.rows === 50 && told.names[3].includes('Kr\u00e4fte')],
    ['wide.csv', `${Array.from({ length: 1e5 }, (_, i) => `c${i}`).join()}\n${Array(1e5).fill('1').join()}\n`, (told) => /columns/.test(told.problem)],
    ['many.csv', `${Array.from({ length: 5000 }, (_, i) => `c${i}`).join()}\n${Array(5000).fill('1').join()}\n`, (told) => /5000 columns/.test(told.problem)],
    ['nan.csv', `t,x,f\nnan,nan,nan\n0,0,1\nnan,1,1\n1,nan,2\n2,,\n3,1,nan\n`, (told) => !told.problem && told.rows === 6],
    ['infinite.csv', `t,x,f\n0,0,1\n1,inf,2\n`, (told) => /infinite.csv:3: column 'x' = 'inf'/.test(told.problem)],
    ['all_nan.csv', `t,x,f\n${'nan,nan,nan\n'.repeat(20)}`, (told) => told.problem !== 'NO ANSWER'],
    ['backwards.csv', `t,x,f\n3,1,1\n2,2,2\n2,2,3\n0,1,0\n`, (told) => told.problem !== 'NO ANSWER'],
    [`${markup}.csv`, `t,x,"${markup.replaceAll('"', '""')}","${quoted.replaceAll('"', '""')}"\n${rows.replaceAll('\n', ',1\n')},1\n`, (told) => told.rows === 50 && told.names[3].includes('<img')],
    ['__proto__', `__proto__,constructor,f\n${rows}\n`, (told) => told.rows === 50],
  ];
  for (const [name, bytes, isRight] of cases) {
    const heard = complaints.length;
    const told = await drop(name, bytes);
    // With every column in its place, so that all of them are drawn.
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('select[data-measured=x], select[data-measured=f]')) {
        each.selectedIndex = Math.min(each.options.length - 1, 3);
        each.dispatchEvent(new Event('change'));
      }
    });
    const fit = page.getByRole('button', { name: /^Fit / }).first();
    if (!told.problem && (await fit.count())) {
      await fit.click();
      await page.waitForSelector('table.estimates, .measured .problem', { timeout: 60000 });
    }
    await page.waitForTimeout(50);
    const found = [...(await strange()), ...complaints.slice(heard)];
    const frame = await page.evaluate(() => new Promise((resolve) => {
      const from = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
    }));
    check(isRight(told) && !found.length && frame < 5000, `a file ${name.slice(0, 20)}: ${told.problem.slice(0, 100) || `${told.rows} rows`} ${found.join(' | ')}`);
  }
  const told = await drop('beside.csv', `t,x,f\n${rows}\n`, '.stage h1');
  check(told.rows === 50, 'a file that misses the box is taken as well');
}

check((await page.evaluate(() => document.querySelector('meta[http-equiv="Content-Security-Policy"]').content)).includes("object-src 'none'"), 'the page allows no script but its own');
check(complaints.length === 0, `no complaint of the browser ${complaints.slice(0, 3).join(' | ')}`);
check(foreign.length === 0, `nothing is fetched from elsewhere ${foreign.slice(0, 3)}`);
await close();
finish();
