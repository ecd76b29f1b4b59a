// SPDX-License-Identifier: Apache-2.0

// Published experiments: a wall of thumbnails, drawn by running them, and the claims of each with verdicts.

import { colourOf, columnOf, dashes } from './charts';
import { Abandoned, abandon, call, type Answer } from './core';
import { fill, h } from './dom';
import { useExperiments } from './experiments';
import { number } from './names';
import { reportPages } from './report';
import type { Column } from './core';
import { tableFigures, tablesOf, tableThumbnail } from './tables';

interface Entry {
  id: string;
  title: string;
  source: string;
  is_published: boolean;
  runs: number;
  analyses: number;
  claims: number;
}

// A few hundred points are enough for a picture of this size.
function path(x: Column, y: Column, box: { x0: number; x1: number; y0: number; y1: number }): string {
  const n = Math.min(x.values.length, y.values.length);
  const step = Math.max(1, Math.floor(n / 400));
  const points: string[] = [];
  for (let i = 0; i < n; i += step) {
    const px = 4 + ((x.values[i] - box.x0) / (box.x1 - box.x0 || 1)) * 192;
    const py = 96 - ((y.values[i] - box.y0) / (box.y1 - box.y0 || 1)) * 92;
    points.push(`${px.toFixed(1)} ${py.toFixed(1)}`);
  }
  return `M${points.join('L')}`;
}

function thumbnail(answers: (Answer | null)[], panel: { x: string; y: string[] }): string {
  const pairs = answers.flatMap((answer, i) => {
    const x = answer && columnOf(answer.columns, panel.x || 't');
    const y = answer && columnOf(answer.columns, panel.y[0]);
    return x && y ? [{ x, y, i }] : [];
  });
  if (!pairs.length) return '';
  const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  for (const { x, y } of pairs) {
    for (const each of x.values) [box.x0, box.x1] = [Math.min(box.x0, each), Math.max(box.x1, each)];
    for (const each of y.values) [box.y0, box.y1] = [Math.min(box.y0, each), Math.max(box.y1, each)];
  }
  const lines = pairs.map(({ x, y, i }) => `<path d="${path(x, y, box)}" fill="none" stroke="${colourOf(i)}" stroke-width="1.3" stroke-dasharray="${dashes[i % dashes.length].join(' ')}"/>`);
  return `<svg viewBox="0 0 200 100" preserveAspectRatio="none" aria-hidden="true">${lines.join('')}</svg>`;
}

export class Gallery {
  readonly element = h('div', { class: 'gallery' });
  private readonly waiting: { id: string; place: HTMLElement }[] = [];
  private isDrawing = false;
  private readonly drawn = new Map<string, string>();

  constructor() {
    void this.fill();
  }

  private async fill() {
    fill(this.element, h('h1', {}, 'Gallery'), h('p', {}, 'Loading …'));
    await useExperiments();
    const list = (await call<Entry[]>('list_of_experiments', [])).json;
    const pageOf = await reportPages();
    const sources = new Map<string, Entry[]>();
    for (const each of list) {
      const folder = each.id.split('/')[0];
      sources.set(folder, [...(sources.get(folder) ?? []), each]);
    }
    const seen = new IntersectionObserver((entries) => {
      for (const each of entries) {
        if (!each.isIntersecting) continue;
        seen.unobserve(each.target);
        this.waiting.push({ id: (each.target as HTMLElement).dataset.id!, place: each.target.querySelector('.thumb')! });
        void this.drawNext();
      }
    });
    fill(
      this.element,
      h('h1', {}, 'Gallery'),
      h('p', { class: 'about' }, `${list.length} experiments with ${list.reduce((sum, each) => sum + each.claims, 0)} claims: what a source printed, run again in this page. Open one to change it, or let its claims be judged.`),
      [...sources].map(([folder, entries]) =>
        h(
          'section',
          {},
          h('h2', {}, folder === 'asperity' ? 'Our own' : folder.replaceAll('_', ' ').replace(/^./, (each) => each.toUpperCase())),
          h(
            'div',
            { class: 'wall' },
            entries.map((each) => {
              const card = h(
                'a',
                { class: 'tile', href: `#experiment/${each.id}`, 'data-id': each.id },
                h('div', { class: 'thumb' }),
                h('strong', {}, each.title),
                h('small', {}, each.source),
                h('small', { class: 'count' }, `${each.claims} ${each.claims === 1 ? 'claim' : 'claims'}`),
              );
              seen.observe(card);
              const page = pageOf(each.id);
              return h('div', { class: 'cell' }, card, page ? h('a', { class: 'report', href: page, 'aria-label': `Report on ${each.id}` }, 'Report') : '');
            }),
          ),
        ),
      ),
    );
  }

  // One at a time: whoever opens an experiment meanwhile should not wait.
  private async drawNext() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    while (this.waiting.length && this.element.isConnected) {
      const { id, place } = this.waiting.shift()!;
      try {
        place.innerHTML = this.drawn.get(id) ?? (await this.draw(id));
      } catch (problem) {
        if (problem instanceof Abandoned) break;
      }
    }
    this.isDrawing = false;
  }

  private async draw(id: string): Promise<string> {
    const { json } = await call('experiment_card', [id], { group: 'gallery' });
    const runs = json.runs.filter((each: any) => !each.is_analysis).slice(0, 3);
    if (!runs.length) {
      const svg = tableThumbnail(json.panels, await tablesOf(id, 'gallery'));
      this.drawn.set(id, svg);
      return svg;
    }
    // Where a run takes long, a picture of its first second and a half of work is enough.
    const answers = await Promise.all(
      runs.map((each: any) => call('run', [each.text, ['run.time_limit=1.5'], false, [], null, null], { group: 'gallery' }).catch((problem) => {
        if (problem instanceof Abandoned) throw problem;
        return null;
      })),
    );
    const panel = json.panels.find((each: any) => each.y.length && answers.some((answer) => answer && columnOf(answer.columns, each.y[0]))) ?? { x: 't', y: ['x'] };
    const svg = thumbnail(answers, panel);
    this.drawn.set(id, svg);
    return svg;
  }

  leave() {
    this.waiting.length = 0;
    abandon('gallery', 0);
  }
}

const verdicts: Record<string, string> = { met: '✓', 'not met': '✗', explained: 'E', unexpected: '!', skipped: '–' };

// The claims of an experiment, and a button that judges them.
export async function claimsOf(id: string): Promise<HTMLElement> {
  await useExperiments();
  const { json } = await call('experiment_card', [id]);
  const page = (await reportPages())(id);
  const list = h('ol', { class: 'claims' });
  const rows = json.claims.map((each: any) => {
    const verdict = h('span', { class: 'verdicts' });
    const row = h('li', {}, h('div', {}, each.text, verdict), h('small', {}, 'The source says: ', each.source_says, each.erratum ? ` (erratum ${each.erratum})` : ''));
    list.append(row);
    return verdict;
  });
  const tables = h('div');
  if (json.runs.some((each: any) => each.is_analysis)) tablesOf(id).then((found) => tables.replaceChildren(tableFigures(json.panels, found)), (problem) => fill(tables, h('p', { class: 'problem' }, problem.message)));
  const state = h('span', { role: 'status' });
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Progress of the judgement' });
  const button = h('button', { onclick: async () => {
    button.disabled = true;
    bar.hidden = false;
    state.textContent = ' Running all its runs …';
    try {
      const answer = await call('judge_experiment', [id, 'PROGRESS'], { group: 'judge', progress: (share) => (bar.value = share) });
      rows.forEach((each: HTMLElement) => fill(each));
      let met = 0;
      for (const each of answer.json) {
        if (each.verdict === 'met' || each.verdict === 'explained') ++met;
        rows[each.claim].append(
          h('span', { class: `verdict ${each.verdict.replace(' ', '-')}`, title: `${each.how}: ${each.measured}; wanted ${each.wanted}. ${each.note}` }, `${verdicts[each.verdict] ?? '?'} ${each.verdict}`, h('small', {}, ` ${each.how}: ${each.ours.map((value: number) => number(value ?? NaN, 5)).join(', ')} ${each.unit === '-' ? '' : each.unit}`)),
        );
      }
      state.textContent = ` ${met} of ${answer.json.length} verdicts are met or explained by an erratum.`;
    } catch (problem) {
      state.textContent = ` ${(problem as Error).message}`;
    }
    bar.hidden = true;
    button.disabled = false;
  } }, 'Judge the claims');
  return h('section', { class: 'claims-box' }, tables, h('h2', {}, 'Claims'), h('p', { class: 'about' }, json.about), h('p', {}, h('strong', {}, json.source), page ? [' · ', h('a', { class: 'report', href: page }, 'Its page in the report')] : ''), h('p', { class: 'buttons' }, button, bar, state), list);
}
