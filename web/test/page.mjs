// SPDX-License-Identifier: Apache-2.0

// The page in chromium. Usage: node page.mjs TOOL PICTURES [PART ...], parts by words of their headings

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, close, complaints, foreign, go, openPage, problems, settled } from './browser.mjs';
import { check, finish, readCsv, root } from './core.mjs';

const [tool, pictures, ...wanted] = process.argv.slice(2);
const part = async (name, body) => {
  if (!wanted.length || wanted.some((each) => name.includes(each))) await body();
};
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'asperity-page-'));

const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

// ---- it loads ----
const page = await openPage();
const began = Date.now();
await page.goto(address);
await page.waitForSelector('nav a');
const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
await settled(page);
const loaded = Date.now() - began;
// Times are told, not judged: other programs run beside this one.
check(paint > 0, `first paint after ${paint.toFixed(0)} ms, first runs shown after ${loaded} ms`);
check((await page.locator('.legend li').count()) === 3, 'three runs side by side');
check((await page.locator('.panel .uplot').count()) >= 4, `${await page.locator('.panel .uplot').count()} panels with curves`);
check((await problems(page)).length === 0, `no problem: ${await problems(page)}`);
await page.evaluate(() => window.asperity.lab().setTime(17));
await picture(page, 'lab');

// ---- its numbers are those of the tool ----
await part('its numbers are those of the tool', async () => {
  const text = await page.evaluate(() => {
    document.querySelector('details[data-text="Scenario file"]').open = true;
    return new Promise((resolve) => setTimeout(() => resolve(document.querySelector('details[data-text="Scenario file"] code').textContent), 100));
  });
  const file = join(folder, 'scenario.toml');
  writeFileSync(file, text);
  execFileSync(tool, ['run', file, '--plot', 'none', '--out', join(folder, 'native')], { stdio: 'pipe' });
  const native = readCsv(readFileSync(join(folder, 'native/series.csv'), 'utf8'));
  const ours = await page.evaluate(() => Object.fromEntries(window.asperity.lab().shown[0].answer.columns.map((each) => [each.name, [...each.values]])));
  let worst = 0;
  for (const name of Object.keys(native)) {
    const scale = Math.max(...native[name].map(Math.abs)) || 1;
    native[name].forEach((each, i) => (worst = Math.max(worst, Math.abs(each - (ours[name]?.[i] ?? Infinity)) / scale)));
  }
  check(worst < 1e-6, `curves are those of the tool, to ${worst.toExponential(1)} of their size (${native.t.length} rows)`);
});

// ---- measures ----
await part('measures', async () => {
  await page.evaluate(() => {
    window.asperity.lab().state.measures = ['maximum(f)', 'nothing(f)'];
    return window.asperity.lab().run();
  });
  await settled(page);
  await page.waitForSelector('.numbers td.problem');
  const [value, greatest] = await page.evaluate(() => {
    const { answer } = window.asperity.lab().shown[0];
    return [answer.json.measures[0].value, Math.max(...answer.columns.find((each) => each.name === 'f').values)];
  });
  check(value === greatest, `maximum(f) is ${value} N; an unknown measure: ${(await page.locator('.numbers td.problem').first().textContent()).slice(0, 60)}`);
  await page.evaluate(() => (window.asperity.lab().state.measures = ['maximum(f)']));
});

// ---- a slider ----
await part('a slider', async () => {
  const before = await page.evaluate(() => Math.max(...window.asperity.lab().shown[0].answer.columns.find((each) => each.name === 'f').values));
  const slider = page.locator('section.run input[type=range][data-name=F_s]').first();
  const wanted = await slider.evaluate((element) => {
    element.value = String(Math.log10(2.5));
    element.dispatchEvent(new Event('input', { bubbles: true }));
    return document.querySelector('section.run input[type=text][data-name=F_s]').value;
  });
  await page.waitForFunction((old) => {
    const lab = window.asperity.lab();
    return !lab.element.hasAttribute('data-busy') && Math.max(...lab.shown[0].answer.columns.find((each) => each.name === 'f').values) !== old;
  }, before);
  const after = await page.evaluate(() => Math.max(...window.asperity.lab().shown[0].answer.columns.find((each) => each.name === 'f').values));
  check(Math.abs(after - Number(wanted)) < 0.15 && after > before + 0.5, `a slider to F_s = ${wanted} N: the greatest force goes from ${before.toFixed(3)} to ${after.toFixed(3)} N`);
  // By keyboard alone.
  await slider.focus();
  const text = page.locator('section.run input[type=text][data-name=F_s]').first();
  const old = await text.inputValue();
  await page.keyboard.press('ArrowLeft');
  check((await text.inputValue()) !== old, `an arrow key moves it, from ${old} to ${await text.inputValue()}`);
  await page.waitForTimeout(300);
  await settled(page);
});

// ---- a link restores what was shown ----
await part('a link restores what was shown', async () => {
  await page.waitForTimeout(200);
  const hash = await page.evaluate(() => location.hash);
  const second = await openPage();
  await second.goto(address + hash);
  await settled(second);
  const same = async (which) => which.evaluate(() => JSON.stringify(window.asperity.lab().shown.map((each) => [each.label, each.document, each.answer.columns.map((column) => [...column.values.slice(-3)])])));
  check((await same(page)) === (await same(second)), 'a link restores runs, parameters and curves');
  check((await second.locator('section.run input[type=text][data-name=F_s]').first().inputValue()) === (await page.locator('section.run input[type=text][data-name=F_s]').first().inputValue()), 'and the controls');
  await second.goto(`${address}#lab?from=system:nothing&run=x&set=%00&set=__proto__.polluted%3D1`);
  await second.reload();
  await second.waitForSelector('.status .problem');
  check(await second.locator('.sketch-box').isHidden(), `a damaged link: ${await second.locator('.status .problem').textContent()}; nothing is there to play`);
  await second.goto(`${address}#lab?from=system:pulled_mass&run=7:dahl&run=0:~constructor.prototype.polluted%3D1&set=__proto__.polluted%3D1&t=1e9`);
  await second.reload();
  await settled(second);
  check((await problems(second)).length === 0 && (await second.evaluate(() => ({}).polluted)) === undefined, 'a hostile one changes nothing but the lab');
  await second.context().close();
});

// ---- curves follow a slider that keeps moving ----
await part('curves follow a slider that keeps moving', async () => {
  const followed = await page.evaluate(async () => {
    const lab = window.asperity.lab();
    const slider = document.querySelector('section.run input[type=range][data-name=F_s]');
    const [from, to] = [Number(slider.min), Number(slider.max)];
    const seen = new Set();
    const before = lab.shown;
    let events = 0;
    // It moves faster than any run ends, until two of them have been shown meanwhile.
    while (seen.size < 2 && events < 2000) {
      slider.value = String(from + (to - from) * (0.4 + 0.2 * Math.sin(events / 40)));
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      ++events;
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (lab.shown !== before) seen.add(lab.shown);
    }
    slider.value = String(to);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    return { events, seen: seen.size };
  });
  check(followed.seen === 2, `curves change ${followed.seen} times during ${followed.events} steps of a slider`);
  await settled(page);
  const [set, ran] = await page.evaluate(() => [Number(document.querySelector('section.run input[type=text][data-name=F_s]').value), window.asperity.lab().shown[0].document.friction.F_s]);
  check(set === ran, `and end where it ends: F_s = ${ran} N`);
});

// ---- six models, the energy, scrubbing, zoom ----
await part('six models, the energy, scrubbing, zoom', async () => {
  const six = ['lugre', 'dai_stribeck', 'dahl', 'coulomb_viscous', 'gms', 'elastoplastic'];
  const models = await page.evaluate(async () => {
    const { json } = await window.asperity.call('system_card', ['pulled_mass']);
    const { families } = json.keys.find((each) => each.key === 'friction');
    return (await window.asperity.call('cards', [])).json.models.filter((each) => families.includes(each.family)).map((each) => each.model);
  });
  const chosen = [...new Set([...six.filter((each) => models.includes(each)), ...models])].slice(0, 6);
  await go(page, `#lab?from=system:pulled_mass&${chosen.map((each) => `run=0:${each}`).join('&')}`);
  await settled(page);
  const colours = await page.evaluate(() => new Set(window.asperity.lab().curves().map((each) => each.colour)).size);
  check((await page.locator('.legend li').count()) === 6 && colours === 6 && (await page.locator('button.add').count()) === 0 && !(await problems(page)).length, `six models side by side in ${colours} colours, and no seventh: ${chosen} ${await problems(page)}`);
  await page.evaluate(() => window.asperity.lab().setTime(0.6 * window.asperity.lab().duration()));
  await picture(page, 'six');
  const kinds = await page.locator('.panel').evaluateAll((list) => list.map((each) => each.dataset.panel));
  check(['x/v', 'v/f', 'x/f'].every((each) => kinds.includes(each)), `phase plane, force over speed and over position: ${kinds}`);
  // The time moves bars, curves and the clock.
  const energies = () => page.locator('.energy-value').allTextContents();
  const scrub = page.getByRole('slider', { name: 'Time', exact: true });
  await scrub.evaluate((each) => ((each.value = '200'), each.dispatchEvent(new Event('input', { bubbles: true }))));
  const before = await energies();
  await scrub.focus();
  for (let i = 0; i < 30; ++i) await page.keyboard.press('PageUp');
  check(before.length > 6 && (await energies()).join() !== before.join(), `${before.length} bars of energy follow the time, which keys move to ${await page.locator('.clock').textContent()}`);
  // What was supplied is held, stored or lost, at every instant.
  const gap = await page.evaluate(() => {
    let worst = 0;
    for (const { answer } of window.asperity.lab().shown) {
      if (!answer.audit) continue;
      const column = (start) => answer.audit.columns.filter((each) => each.name.startsWith(start));
      const residual = column('residual')[0];
      const size = Math.max(...answer.audit.columns.flatMap((each) => [...each.values].map(Math.abs)));
      worst = Math.max(worst, Math.max(...[...residual.values].map(Math.abs)) / size);
    }
    return worst;
  });
  check(gap > 0 && gap < 1e-2, `the greatest gap in six balances is ${gap.toExponential(1)} of the energies`);
  const panel = page.locator('.panel').first();
  await panel.focus();
  const width = () => page.evaluate(() => {
    const { min, max } = window.asperity.lab().panels[0].plot.scales.x;
    return max - min;
  });
  const all = await width();
  await page.keyboard.press('+');
  await page.waitForTimeout(100);
  const part = await width();
  await page.keyboard.press('0');
  await page.waitForTimeout(100);
  check(part < 0.8 * all && Math.abs((await width()) - all) < 1e-9, `keys zoom a panel from ${all} to ${part.toFixed(2)} s, and back`);
  const words = await page.locator('.controls .control .name').allTextContents();
  check(words.some((each) => /^σ0/.test(each)) && words.some((each) => /N\/m/.test(each)), `symbols in Greek with units: ${words.filter((each) => /[α-ω]/.test(each)).slice(0, 4)}`);
});

// ---- motion, where it is wanted ----
await part('motion, where it is wanted', async () => {
  for (const [wish, moves] of [['reduce', false], ['no-preference', true]]) {
    const viewer = await openPage({ reducedMotion: wish });
    await viewer.goto(address);
    await settled(viewer);
    const at = () => viewer.evaluate(() => window.asperity.lab().time);
    const first = await at();
    await viewer.waitForTimeout(1500);
    check((await at()) > first === moves, `${wish}: the mechanism ${moves ? 'moves' : 'rests'} by itself`);
    await viewer.context().close();
  }
});

// ---- contact patches ----
await part('contact patches', async () => {
  const arm = () => page.evaluate(() => window.asperity.lab().patch.numbers().surfaces[0].json.arm);
  await go(page, '#lab?from=example:pushed_box');
  await settled(page);
  check((await problems(page)).length === 0 && (await page.locator('.patch .problem').count()) === 0 && (await page.locator('.slip-map').count()) === 1 && (await page.locator('.limit-surface').count()) === 1, 'a box on a patch: a slip map and a limit surface');
  const told = [];
  for (const share of [0.05, 0.75, 0.5]) {
    await page.evaluate((at) => window.asperity.lab().setTime(at * window.asperity.lab().duration()), share);
    told.push(await page.locator('.slip-map .readout').first().textContent());
  }
  const colours = await page.evaluate(() => {
    const { canvas } = document.querySelector('.slip-map canvas').getContext('2d');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let orange = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] === 213 && data[i + 1] === 94 && data[i + 2] === 0) ++orange;
    return orange / (canvas.width * canvas.height);
  });
  check(new Set(told).size === 3 && colours > 0.1, `it follows the time: ${told.join('; ')}; ${(100 * colours).toFixed(0)} % of the picture slips`);
  await page.locator('.patch').scrollIntoViewIfNeeded();
  await picture(page, 'patch');
  // A slider of the patch: the torque of spinning grows with its width.
  const before = await arm();
  await page.locator('.controls input[type=range][data-name=width]').evaluate((element) => {
    element.value = String(Math.log10(0.15)); // from 0.1 m; wider, and its pressure would be below 0
    element.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.waitForTimeout(100);
  await settled(page);
  check((await arm()) > 1.3 * before, `a wider patch: the torque of spinning goes from ${before.toFixed(5)} to ${(await arm()).toFixed(5)} m mu f_n`);
  const first = await page.locator('.limit-surface canvas').screenshot();
  await page.locator('.limit-surface').focus();
  await page.keyboard.press('ArrowRight');
  check(!first.equals(await page.locator('.limit-surface canvas').screenshot()), 'arrow keys turn the limit surface');
  // What is no longer wanted is stopped, and the page answers.
  await go(page, '#lab?from=example:pushed_box&set=patch.cells%3D90&set=run.duration%3D8');
  await page.waitForSelector('.lab[data-busy]');
  await page.waitForTimeout(500);
  await page.getByRole('button', { name: 'Stop' }).click();
  const isBusy = await page.locator('.lab').evaluate((each) => each.hasAttribute('data-busy'));
  await go(page, '#lab?from=example:stick_slip');
  await settled(page);
  check(!isBusy && (await page.locator('.patch').isHidden()), 'a patch of 8100 cells is stopped; a system without one shows none');
  const dark = await openPage({ colorScheme: 'dark' });
  await dark.goto(`${address}#lab?from=example:pushed_box`);
  await settled(dark);
  await dark.evaluate(() => window.asperity.lab().setTime(0.4));
  await dark.locator('.patch').scrollIntoViewIfNeeded();
  await accessibility(dark, 'patches, dark');
  await picture(dark, 'patch-dark');
  await dark.context().close();
});

// ---- the report links into the lab, and the lab into the report ----
await part('the report links into the lab, and the lab into the report', async () => {
  const site = join(folder, 'site');
  const ids = ['xiong_2013/fig_3_4', 'asperity/restitution'];
  execFileSync(tool, ['reproduce', ...ids, '--out', join(site, 'report'), '--lab', '../lab/index.html', '--quiet'], { stdio: 'pipe' });
  cpSync(join(root, 'build/web/site'), join(site, 'lab'), { recursive: true });
  writeFileSync(join(site, 'lab/site.json'), '{ "report": "../report/" }'); // as ./dev docs does
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json', wasm: 'application/wasm' };
  const both = createServer((request, response) => {
    try {
      const file = join(site, decodeURIComponent(new URL(request.url, 'http://here').pathname));
      const content = readFileSync(file);
      response.writeHead(200, { 'content-type': types[file.split('.').pop()] ?? 'text/plain' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => both.listen(0, '127.0.0.1', resolve));
  const place = `http://127.0.0.1:${both.address().port}/`;
  const reader = await openPage({}, place);
  await reader.goto(`${place}report/${ids[0]}.html`);
  const title = await reader.locator('h1').textContent();
  await reader.getByRole('link', { name: 'Open in the lab' }).click();
  await settled(reader);
  check((await problems(reader)).length === 0 && (await reader.locator('h1').textContent()) === title && (await reader.locator('.panel .uplot').count()) > 0, `from the report into the lab: ${title}`);
  await reader.waitForSelector('.claims li');
  await reader.getByRole('link', { name: 'Its page in the report' }).click();
  await reader.waitForSelector('.tally');
  check(reader.url() === `${place}report/${ids[0]}.html`, 'and back');
  await reader.goto(`${place}report/index.html`);
  await reader.getByRole('link', { name: 'The lab' }).click();
  await reader.waitForSelector('.gallery .cell');
  const links = await reader.locator('.gallery a.report').evaluateAll((list) => list.map((each) => each.href));
  const answers = await Promise.all(links.map(async (each) => (await fetch(each)).status));
  check(links.length === ids.length && answers.every((each) => each === 200), `the gallery links to the ${links.length} experiments of the report: ${answers}`);
  await reader.context().close();
  both.close();
});

// ---- every system ----
await part('every system', async () => {
  const systems = await page.evaluate(async () => (await window.asperity.call('cards', [])).json.systems.map((each) => each.system));
  for (const system of systems) {
    if (system === 'inclusion') continue;
    await go(page, `#lab?from=system:${system}`);
    await settled(page);
    const wrong = await problems(page);
    const panels = await page.locator('.panel .uplot').count();
    // The lab reads a scenario, makes it SI and writes it again, and keeps an energy balance: same numbers.
    const isSame = await page.evaluate(async (name) => {
      const { json } = await window.asperity.call('system_card', [name]);
      const direct = await window.asperity.call('run', [json.scenario, [], false, [], null, null]);
      const shown = window.asperity.lab().shown[0].answer.columns;
      return direct.columns.every((each, i) => each.name === shown[i].name && each.values.every((value, k) => Object.is(value, shown[i].values[k])));
    }, system);
    check(wrong.length === 0 && panels > 0 && isSame, `system ${system}: ${panels} panels, ${isSame ? 'the bits of its scenario' : 'OTHER NUMBERS'} ${wrong}`);
    await page.evaluate(() => window.asperity.lab().setTime(0.6 * window.asperity.lab().duration()));
    // The sketch is drawn, and follows the time. What is gripped firmly does not move; the example's does.
    if (system === 'gripped_object') {
      await go(page, '#lab?from=example:gripped_object');
      await settled(page);
    }
    const sketched = await page.evaluate(() => {
      const lab = window.asperity.lab();
      const canvas = document.querySelector('canvas.sketch');
      const drawn = (share) => {
        lab.setTime(share * lab.duration());
        // A copy, since chromium complains of a canvas that is read again and again.
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let sum = 0;
        let inked = 0;
        for (let i = 3; i < data.length; i += 4) {
          if (data[i]) ++inked;
          sum = (sum * 31 + data[i] + data[i - 1] + data[i - 3]) % 1000000007;
        }
        return { sum, inked };
      };
      const list = [0.1, 0.35, 0.6].map(drawn);
      return { inked: list[0].inked, different: new Set(list.map((each) => each.sum)).size };
    });
    check(sketched.inked > 500 && sketched.different > 1, `its sketch: ${sketched.inked} points drawn, ${sketched.different} pictures at three times`);
    if (['mass_on_belt', 'bouncing_mass', 'rolling_disc', 'two_bar_linkage', 'discs', 'gripped_object', 'sphere_on_plane', 'spheres', 'magnetostrictive_actuator', 'multiplay_and_inverse'].includes(system)) await picture(page, `system-${system}`);
  }
});

// ---- every lesson ----
await part('every lesson', async () => {
  await go(page, '#lessons');
  await page.waitForSelector('.lessons .tile');
  await picture(page, 'lessons');
  const links = await page.locator('.lessons a.tile').evaluateAll((list) => list.map((each) => each.getAttribute('href')));
  check(links.length === 10, `${links.length} lessons`);
  let steps = 0;
  const wrong = [];
  for (const link of links) {
    for (let step = 1; ; ++step) {
      await go(page, link.replace(/1$/, String(step)));
      await settled(page);
      ++steps;
      for (const each of await problems(page)) wrong.push(`${link} step ${step}: ${each}`);
      const stated = await page.evaluate(() => window.asperity.lab().state.panels.map((each) => `${each.x}/${each.y}`));
      const shown = await page.locator('.panel').evaluateAll((list) => list.map((each) => each.dataset.panel));
      if (stated.some((each) => !shown.includes(each))) wrong.push(`${link} step ${step}: shows ${shown}, not ${stated}`);
      if (step === 2 && link.includes('squeal')) await picture(page, 'lesson');
      if (step === 1 && link.includes('squeal')) {
        await page.locator('.ear').click();
        check(/Hz/.test(await page.locator('.ear').textContent()), `a squeal can be heard: ${await page.locator('.ear').textContent()}`);
      }
      if (!(await page.locator('.lesson a.strong').getAttribute('href')).startsWith('#lesson/')) break;
    }
  }
  check(wrong.length === 0, `${steps} steps of lessons run ${wrong.join('; ')}`);
});

// ---- the gallery ----
await part('the gallery', async () => {
  await go(page, '#gallery');
  await page.waitForSelector('.gallery .tile');
  await page.waitForFunction(() => document.querySelectorAll('.thumb svg').length >= 6, null, { timeout: 120000 });
  check((await page.locator('.gallery .tile').count()) > 50, `${await page.locator('.gallery .tile').count()} experiments`);
  // Each is drawn when it is looked at.
  const tiles = await page.locator('.gallery .tile').count();
  for (let i = 0; i < tiles; i += 4) await page.locator('.gallery .tile').nth(i).scrollIntoViewIfNeeded();
  await page.locator('.gallery .tile').last().scrollIntoViewIfNeeded();
  await page.waitForFunction((all) => document.querySelectorAll('.thumb svg path').length >= all && [...document.querySelectorAll('.thumb')].every((each) => each.querySelector('svg path')), tiles, { timeout: 600000 }).catch(() => {});
  const bare = await page.locator('.gallery .tile').evaluateAll((list) => list.filter((each) => !each.querySelector('.thumb svg path')).map((each) => each.dataset.id));
  check(bare.length === 0, `every experiment has its thumbnail ${bare}`);
  await page.evaluate(() => scrollTo(0, 0));
  await picture(page, 'gallery');
  await go(page, '#experiment/xiong_2013/fig_3_4');
  await settled(page);
  await page.waitForSelector('.claims li');
  await page.getByRole('button', { name: 'Judge the claims' }).click();
  await page.waitForSelector('.verdict', { timeout: 120000 });
  const verdicts = await page.locator('.verdict').evaluateAll((list) => list.map((each) => each.className));
  check(verdicts.length > 10 && verdicts.every((each) => /met|explained/.test(each) && !/not-met/.test(each)), `${verdicts.length} verdicts on fig. 3.4, all met or explained`);
  await page.locator('.claims-box').scrollIntoViewIfNeeded();
  await picture(page, 'experiment');
  await go(page, '#experiment/asperity/restitution');
  await page.waitForSelector('.claims li');
  await page.waitForSelector('.table-figure path', { state: 'attached', timeout: 120000 });
  const lines = await page.locator('.table-figure').evaluateAll((list) => list.map((each) => each.querySelectorAll('.table-plot path:not(.grid)').length));
  check((await page.locator('.status .problem').count()) === 0 && lines.join() === '8,4', `an experiment without motion shows its tables: ${lines} curves; ${await page.locator('.status').textContent()}`);
  await picture(page, 'tables');
});

// ---- inclusions ----
await part('inclusions', async () => {
  await go(page, '#inclusion');
  await page.waitForSelector('.mathematics details[open] .equations', { timeout: 60000 });
  await page.waitForSelector('.inclusions .panel canvas', { timeout: 60000 });
  await picture(page, 'inclusions');
  const area = page.locator('.editor textarea');
  const text = await area.inputValue();
  await area.fill(text.replace(/rate = "/, 'rate = "2*unknown + '));
  await page.waitForFunction(() => document.querySelector('#inclusion-problem').textContent.length > 5);
  check((await page.locator('.lines .wrong').count()) === 1, `an error at its place: ${await page.locator('#inclusion-problem').textContent()}`);
  await area.fill(text);
  await page.waitForFunction(() => document.querySelector('#inclusion-problem').textContent === '');
});

// ---- measured data ----
await part('measured data', async () => {
  await go(page, '#lab?from=system:prescribed_motion&run=0:dahl&panel=x/f&panel=t/f');
  await settled(page);
  // What Dahl's model with other parameters would measure.
  const csv = await page.evaluate(async () => {
    const rows = ['t,v'];
    for (let i = 0; i <= 400; ++i) rows.push(`${i * 5e-3},${1e-3 * 6.28 * Math.cos(6.28 * i * 5e-3)}`);
    const answer = await window.asperity.call('evaluate', ['dahl', '', ['F_c=1.7', 'sigma_0=30000'], rows.join('\n')]);
    const [t, x, f] = ['t', 'x', 'f'].map((name) => answer.columns.find((each) => each.name === name).values);
    return 'time;pos;force\n' + [...t].map((_, i) => [t[i], x[i], f[i]].join(';')).join('\n');
  });
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'rig.csv', { type: 'text/csv' }));
    const place = document.querySelector('.drop');
    place.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
    place.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, csv);
  await page.waitForSelector('table.columns select[data-measured=f]');
  const chosen = await page.evaluate(() => ['t', 'x', 'f'].map((each) => document.querySelector(`select[data-measured=${each}]`).selectedOptions[0].textContent).join());
  check(chosen === 'time,pos,force', `a dropped file: columns ${chosen}`);
  check((await page.evaluate(() => window.asperity.lab().curves().length)) === 2, 'it is laid over the curves');
  await page.getByRole('button', { name: /^Fit / }).first().click();
  await page.waitForSelector('table.estimates', { timeout: 120000 });
  const found = await page.locator('table.estimates tr').evaluateAll((rows) => rows.slice(1).map((row) => [...row.children].map((each) => each.textContent)));
  const F = Number(found.find((each) => each[0].startsWith('F'))?.[1]);
  check(Math.abs(F - 1.7) < 0.02, `a fit finds F_c = ${F} N of 1.7 N`);
  await page.locator('.measured').scrollIntoViewIfNeeded();
  await picture(page, 'measured');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['\u0000\u0001 no table'], 'bad.csv'));
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.drop .problem');
  check(true, `a file that is no table: ${(await page.locator('.drop .problem').textContent()).slice(0, 90)}`);
});

// ---- exports ----
await part('exports', async () => {
  for (const name of ['CSV', 'SVG', 'PNG', 'Scenario']) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.take').getByRole('button', { name, exact: true }).click()]);
    const bytes = readFileSync(await file.path());
    const isRight = { CSV: () => readCsv(bytes.toString()).t.length > 100, SVG: () => /^<svg[\s\S]*<polyline/.test(bytes.toString()), PNG: () => bytes.subarray(1, 4).toString() === 'PNG' && bytes.length > 10000, Scenario: () => /kind = "prescribed_motion"/.test(bytes.toString()) }[name]();
    check(isRight, `export ${name}: ${file.suggestedFilename()}, ${bytes.length} bytes`);
  }
});

// ---- texts that give the same run ----
await part('texts that give the same run', async () => {
  await go(page, '#lab?from=system:pulled_mass&run=0:lugre~friction.sigma_0=2e4&set=run.duration%3D1');
  await settled(page);
  const texts = await page.evaluate(async () => {
    const found = {};
    for (const details of document.querySelectorAll('.take details')) {
      details.open = true;
      await new Promise((resolve) => setTimeout(resolve, 50));
      found[details.dataset.text] = details.querySelector('code').textContent;
    }
    return found;
  });
  const ours = await page.evaluate(() => window.asperity.lab().shown[0].answer.columns.map((each) => [each.name, each.values.at(-1), each.values.length]));
  const isSame = (csv) => {
    const table = readCsv(csv);
    return ours.every(([name, value, rows]) => table[name]?.length === rows && Math.abs(table[name].at(-1) - value) <= 1e-6 * Math.max(1e-6, ...table[name].map(Math.abs)));
  };
  const place = join(folder, 'texts');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'line.sh'), texts['Command line'].replace(/^asperity run scenario.toml$/m, '"$TOOL" run scenario.toml --plot none --out line'));
  execFileSync('bash', ['line.sh'], { cwd: place, env: { ...process.env, TOOL: tool }, stdio: 'pipe' });
  check(isSame(readFileSync(join(place, 'line/series.csv'), 'utf8')), 'the command line gives the numbers of the page');
  writeFileSync(join(place, 'run.cpp'), texts['C++']);
  execFileSync(process.env.CXX ?? 'c++', ['-std=c++20', '-fsyntax-only', '-I', root, '-isystem', '/usr/include/eigen3', 'run.cpp'], { cwd: place, stdio: 'pipe' });
  check(texts['C++'].includes(texts['Scenario file']), 'the C++ text compiles, with the same scenario in it');
  // Where Python's module was built.
  const python = process.env.ASPERITY_PYTHON ?? join(root, 'build/release/python');
  if (existsSync(join(python, 'asperity/models.pyi'))) {
    const columns = JSON.stringify(ours.map(([name]) => name));
    writeFileSync(join(place, 'run.py'), texts.Python.replace('run.plot()\n', `names = ${columns}\nprint(",".join(names))\nfor row in zip(*[run[name] for name in names]):\n    print(",".join(repr(float(each)) for each in row))\n`));
    const printed = execFileSync('/usr/bin/python3', ['run.py'], { cwd: place, encoding: 'utf8', env: { ...process.env, PYTHONPATH: python } });
    check(isSame(printed.slice(printed.indexOf(`\n${ours.map(([name]) => name).join()}\n`) + 1)), 'and the Python text');
  }
});

// ---- a long run can be stopped, and the page answers meanwhile ----
await part('a long run can be stopped, and the page answers meanwhile', async () => {
  await go(page, '#lab?from=example:discs&set=run.duration%3D20');
  await page.waitForSelector('.lab[data-busy]');
  await page.waitForTimeout(1500);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const times = [];
    const step = (now) => (times.push(now), times.length < 40 ? requestAnimationFrame(step) : resolve(Math.max(...times.slice(1).map((each, i) => each - times[i]))));
    requestAnimationFrame(step);
  }));
  const progress = await page.evaluate(() => document.querySelector('.status-line progress').value);
  // Its curves, and its grains, are shown as far as they came.
  const rowsOf = () => page.evaluate(() => window.asperity.lab().shown[0]?.answer?.columns[0].values.at(-1) ?? 0);
  await page.waitForFunction(() => window.asperity.lab().shown[0]?.answer, null, { timeout: 60000 });
  const early = await rowsOf();
  await page.waitForFunction((time) => window.asperity.lab().shown[0].answer.columns[0].values.at(-1) > time, early, { timeout: 60000 });
  const places = await page.evaluate(() => window.asperity.lab().shown[0].places?.length);
  check((await rowsOf()) < 20 && places === 400 && (await page.locator('.panel .uplot').count()) > 0, `curves grow while it runs: from ${early} to ${await rowsOf()} s; places of ${places / 2} grains`);
  await picture(page, 'grains');
  await page.getByRole('button', { name: 'Stop' }).click();
  check(!(await page.locator('.lab').evaluate((each) => each.hasAttribute('data-busy'))), `a long run (${(100 * progress).toFixed(0)} % done) is stopped; longest frame meanwhile ${frames.toFixed(0)} ms`);
  await go(page, '#lab?from=system:pulled_mass');
  await settled(page);
  check((await problems(page)).length === 0, 'and another one runs');
});

// ---- frames with four models ----
await part('frames with four models', async () => {
  await go(page, '#lab?from=system:pulled_mass&run=0:lugre&run=0:dai&run=0:dahl&run=0:coulomb_viscous&set=integrator=%7B%22method%22:%22rk4%22,%22step%22:1e-4%7D&set=run.duration%3D2');
  await settled(page);
  const wrong = await problems(page);
  // Frames in three seconds: at rest, which is what the browser can do at best here; while the time moves in
  // every frame; and while a slider moves in every frame as well, so that the four models run again and again.
  const frames = (kind) => page.evaluate((what) => new Promise((resolve) => {
    const lab = window.asperity.lab();
    const slider = document.querySelector('.controls input[type=range][data-name=stiffness]');
    const [from, to] = [Number(slider.min), Number(slider.max)];
    const times = [];
    const works = [];
    const seen = new Set();
    const start = performance.now();
    const step = (now) => {
      times.push(now);
      const began = performance.now();
      const share = (now - start) / 3000;
      if (what !== 'rest') lab.setTime((share % 1) * lab.duration());
      if (what === 'slider') {
        slider.value = String(from + (to - from) * (0.5 + 0.1 * Math.sin(20 * share)));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        seen.add(lab.shown);
      }
      works.push(performance.now() - began);
      if (share < 1) return requestAnimationFrame(step);
      works.sort((a, b) => a - b);
      const gaps = times.slice(1).map((each, i) => each - times[i]).sort((a, b) => a - b);
      resolve({ rate: (1000 * gaps.length) / (times.at(-1) - times[0]), longest: gaps.at(-1), work: works[works.length >> 1], runs: seen.size - 1 });
    };
    requestAnimationFrame(step);
  }), kind);
  const [rest, time, slider] = [await frames('rest'), await frames('time'), await frames('slider')];
  await settled(page);
  wrong.push(...(await problems(page)));
  const told = ({ rate, longest, work }) => `${rate.toFixed(0)} frames per second (the longest ${longest.toFixed(0)} ms, our part of most ${work.toFixed(1)} ms)`;
  const rows = await page.evaluate(() => window.asperity.lab().shown.map((each) => each.answer.columns[0].values.length));
  check(!wrong.length, `four models at 10 kHz steps (${rows} rows each): at rest ${told(rest)}; moving through time ${told(time)}; with a slider as well ${told(slider)}, ${slider.runs} new sets of curves in 3 s ${wrong}`);
});

// ---- accessibility ----
async function accessibility(which, name) {
  const found = await which.evaluate(() => {
    const wrong = [];
    const isShown = (each) => each.checkVisibility?.() ?? true;
    const nameOf = (each) => each.getAttribute('aria-label') || each.labels?.[0]?.textContent || each.textContent || each.title || '';
    for (const each of document.querySelectorAll('button, a[href], input, select, textarea, summary')) if (isShown(each) && !nameOf(each).trim()) wrong.push(`no name: ${each.outerHTML.slice(0, 90)}`);
    const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`id twice: ${id}`);
    for (const each of document.querySelectorAll('[aria-describedby]')) if (!document.getElementById(each.getAttribute('aria-describedby'))) wrong.push(`describes nothing: ${each.getAttribute('aria-describedby')}`);
    for (const each of document.querySelectorAll('canvas')) if (!each.closest('[aria-label]')) wrong.push('a canvas without words');
    if (document.querySelectorAll('h1').length !== 1) wrong.push(`${document.querySelectorAll('h1').length} first headings`);
    if (document.querySelectorAll('main').length !== 1 || !document.documentElement.lang) wrong.push('no main part or language');
    const number = (text) => text.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (each) => {
      for (let at = each; at; at = at.parentElement) {
        const colour = number(getComputedStyle(at).backgroundColor);
        if (colour.length < 4 || colour[3] > 0.9) return colour;
      }
      return [255, 255, 255];
    };
    for (const each of document.querySelectorAll('p, small, label, summary, strong, h1, h2, a, button, span.unit, .readout span')) {
      if (!isShown(each) || !each.textContent.trim() || each.closest('svg')) continue;
      const [a, b] = [light(number(getComputedStyle(each).color)), light(behind(each))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${each.tagName} ${each.textContent.slice(0, 30)}`);
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`wider than the screen: ${document.documentElement.scrollWidth} > ${innerWidth}`);
    return [...new Set(wrong)];
  });
  check(found.length === 0, `accessibility of ${name} ${found.slice(0, 6).join(' | ')}`);
}
await part('accessibility', async () => { for (const scheme of ['light', 'dark']) {
  const which = await openPage({ colorScheme: scheme });
  await which.goto(address);
  await settled(which);
  await accessibility(which, `the lab, ${scheme}`);
  if (scheme === 'dark') {
    await which.evaluate(() => window.asperity.lab().setTime(17));
    await picture(which, 'lab-dark');
  }
  for (const hash of ['lessons', 'gallery', 'inclusion']) {
    await which.goto(`${address}#${hash}`);
    await which.waitForSelector('h1');
    await which.waitForTimeout(1000);
    await accessibility(which, `${hash}, ${scheme}`);
  }
  await which.context().close();
} });

// ---- by keyboard alone ----
await part('by keyboard alone', async () => {
  const typist = await openPage();
  await typist.goto(address);
  await settled(typist);
  await typist.keyboard.press('Tab');
  await typist.keyboard.press('Enter');
  check(await typist.evaluate(() => document.activeElement === document.querySelector('main') && location.hash.startsWith('#lab?')), 'the first link skips to the content and leaves the address');
  // What is changed is built anew, and whoever changed it is still there.
  const held = () => typist.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  const labels = () => typist.evaluate(() => window.asperity.lab().shown.map((each) => each.label).join());
  const acts = [
    ['select[aria-label="Model of run 1"]', 'ArrowDown', 'another model'],
    ['button.add', 'Enter', 'one more model'],
    ['select[aria-label="Vertical axis of panel 2"]', 'ArrowUp', 'another column'],
    ['.numbers .buttons button', 'Enter', 'a measure'],
  ];
  for (const [place, key, what] of acts) {
    await typist.locator(place).focus();
    const [name, before] = [await held(), await labels()];
    await typist.keyboard.press(key);
    await typist.waitForTimeout(300);
    await settled(typist);
    check((await held()) === name && (!/model/.test(what) || (await labels()) !== before), `${what} by ${key}: the focus stays on "${await held()}"`);
  }
  // Everything that can be used can be reached: tabs go through all of it, in the order of the page.
  const reached = await typist.evaluate(() => [...document.querySelectorAll('button, a[href], input, select, textarea, summary')].filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex < 0).length);
  check(reached === 0, `${reached} things that no key reaches`);
  await typist.context().close();
});

// ---- on paper ----
await part('on paper', async () => {
  const sheet = await openPage({ colorScheme: 'dark', viewport: { width: 1700, height: 1000 } });
  await sheet.goto(address);
  await settled(sheet);
  await sheet.emulateMedia({ media: 'print' });
  await sheet.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    window.wide = [...document.querySelectorAll('canvas')].filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 719).length;
  });
  await sheet.setViewportSize({ width: 718, height: 1015 });
  const [wide, shown, ink] = await sheet.evaluate(() => [window.wide, [...document.querySelectorAll('.controls, nav, .transport, .measured')].filter((each) => each.checkVisibility()).length, getComputedStyle(document.body).backgroundColor]);
  check(wide === 0 && shown === 0 && ink === 'rgb(255, 255, 255)', `on paper: ${wide} curves too wide, ${shown} controls, ground ${ink}`);
  await picture(sheet, 'print');
  await sheet.evaluate(() => dispatchEvent(new Event('afterprint')));
  check(await sheet.evaluate(() => !document.documentElement.hasAttribute('data-print') && !document.documentElement.dataset.theme), 'and afterwards as before');
  await sheet.context().close();
});

// ---- a phone ----
await part('a phone', async () => {
  const phone = await openPage({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  await phone.goto(address);
  await settled(phone);
  await phone.evaluate(() => window.asperity.lab().setTime(17));
  await picture(phone, 'phone-lab');
  await accessibility(phone, 'the lab on a phone');
  await phone.getByRole('button', { name: 'Settings' }).click();
  await phone.waitForTimeout(400);
  await phone.evaluate(() => document.querySelector('.figures').scrollIntoView());
  check(await phone.locator('.controls').isVisible(), 'on a phone the settings are a sheet');
  await picture(phone, 'phone-controls');
  for (const [name, hash, wait] of [['lesson', '#lesson/design_a_bounce/2', '.lesson'], ['gallery', '#gallery', '.thumb svg'], ['inclusions', '#inclusion', '.mathematics details[open] .equations']]) {
    await phone.goto(address + hash);
    await phone.waitForSelector(wait, { timeout: 60000 });
    await phone.waitForTimeout(1500);
    await picture(phone, `phone-${name}`);
    check(await phone.evaluate(() => scrollY === 0 && !document.querySelector('[data-sheet]')), `${name} on a phone begins at its top, without the settings`);
    await accessibility(phone, `${name} on a phone`);
  }
  await phone.context().close();
});

// ---- a module that cannot be loaded ----
await part('a module that cannot be loaded', async () => {
  const heard = complaints.length;
  const cut = await openPage();
  await cut.route('**/*.wasm', (route) => route.abort());
  await cut.goto(address);
  await cut.waitForSelector('.status .problem');
  check(await cut.locator('.sketch-box').isHidden(), `without its module the page says: ${await cut.locator('.status .problem').textContent()}; nothing is there to play`);
  await cut.context().close();
  complaints.length = heard; // the browser has said so, too
});

check(complaints.length === 0, `no complaint of the browser ${complaints.slice(0, 3).join(' | ')}`);
check(foreign.length === 0, `nothing is fetched from elsewhere ${foreign.slice(0, 3)}`);
await close();
rmSync(folder, { recursive: true });
finish();
