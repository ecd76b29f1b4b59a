// SPDX-License-Identifier: Apache-2.0

// Systems of one's own, with sgn and dio, typed in the page: what is wrong is shown at its place, the derived
// ODE as mathematics, and it runs at once.

import examples from 'repository:examples';
import { colourOf, Panel } from './charts';
import { Abandoned, abandon, call } from './core';
import { fill, h } from './dom';
import { copied } from './exports';
import { equation } from './mathematics';
import { words } from './names';
import { emptyState, toHash } from './state';

const group = 'inclusion';
const languages = ['cpp', 'c', 'modelica', 'octave', 'latex'];

export class Inclusions {
  readonly element = h('div', { class: 'inclusions' });
  private readonly text = h('textarea', { spellcheck: 'false', 'aria-label': 'The inclusion as TOML text', 'aria-describedby': 'inclusion-problem', wrap: 'off' });
  private readonly lines = h('pre', { class: 'lines', 'aria-hidden': 'true' });
  private readonly problem = h('p', { class: 'problem', id: 'inclusion-problem', role: 'alert' });
  private readonly mathematics = h('div', { class: 'mathematics' });
  private readonly figures = h('section', { class: 'figures', 'aria-label': 'Curves' });
  private readonly code = h('div', { class: 'texts' });
  private panels: Panel[] = [];
  private timer = 0;
  private serial = 0;

  constructor() {
    const names = Object.keys(examples).filter((each) => each.startsWith('inclusions/'));
    const choose = h('select', { 'aria-label': 'Example' }, names.map((each) => h('option', { value: each, selected: each.endsWith('belt_oscillator') }, words(each.slice(11)))));
    choose.addEventListener('change', () => this.set(examples[choose.value]));
    const open = h('button', { onclick: async () => (location.hash = await toHash({ ...emptyState('text'), text: this.text.value })) }, 'Open in the lab');
    this.text.addEventListener('input', () => {
      this.number(0);
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.treat(), 350);
    });
    this.text.addEventListener('scroll', () => (this.lines.scrollTop = this.text.scrollTop));
    this.element.append(
      h(
        'section',
        { class: 'editor-side' },
        h('h1', {}, 'Inclusions'),
        h('p', { class: 'about' }, 'State a system with ', h('code', {}, 'sgn'), ' for friction and ', h('code', {}, 'dio'), ' for contact. Each becomes a force with its own state, and the system becomes an ordinary differential equation.'),
        h('p', { class: 'buttons' }, choose, open),
        h('div', { class: 'editor' }, this.lines, this.text),
        this.problem,
        this.code,
      ),
      h('div', { class: 'result-side' }, this.mathematics, this.figures),
    );
    this.set(examples[choose.value]);
  }

  private set(text: string) {
    this.text.value = text;
    this.number(0);
    void this.treat();
  }

  // Line numbers; the line of the problem stands out.
  private number(wrong: number) {
    const count = this.text.value.split('\n').length;
    fill(this.lines, Array.from({ length: count }, (_, i) => h('span', { class: i + 1 === wrong ? 'wrong' : '' }, `${i + 1}\n`)));
    this.lines.scrollTop = this.text.scrollTop;
  }

  private fail(message: string) {
    const place = /(?:inclusion|scenario)\.toml:(\d+)(?::(\d+))?/.exec(message);
    this.number(place ? Number(place[1]) : 0);
    const text = message.replace(/^(?:inclusion|scenario)\.toml:(\d+):(\d+): /, 'Line $1, column $2: ');
    fill(this.problem, text);
    this.text.setAttribute('aria-invalid', 'true');
    if (place) {
      const lines = this.text.value.split('\n');
      const begin = lines.slice(0, Number(place[1]) - 1).reduce((sum, each) => sum + each.length + 1, 0) + Number(place[2] ?? 1) - 1;
      this.problem.append(' ', h('button', { class: 'quiet', onclick: () => {
        this.text.focus();
        this.text.setSelectionRange(begin, Math.min(begin + 1, this.text.value.length));
      } }, 'Go there'));
    }
  }

  private async treat() {
    const serial = ++this.serial;
    abandon(group, 100);
    const text = this.text.value;
    try {
      const { json } = await call('inclusion_card', [text], { group });
      if (serial !== this.serial) return;
      fill(this.problem);
      this.text.removeAttribute('aria-invalid');
      this.number(0);
      fill(
        this.mathematics,
        h('h2', {}, json.title || 'Your system'),
        json.sections.map((title: string, i: number) => h('details', { open: i === json.sections.length - 1 }, h('summary', {}, title), h('div', { class: 'equations stated', html: json[['inclusion', 'dai', 'ode'][i]].map((one: any) => equation(one.left, one.relation, one.right)).join('') }))),
        json.warnings.map((each: string) => h('p', { class: 'none' }, each)),
        h('p', { class: 'none' }, `Stable steps: ${Object.entries(json.stable_steps).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${(value as number).toPrecision(3)} s`).join(', ')}; the method is ${json.integrator.method}.`),
      );
      fill(
        this.code,
        languages.map((each) => {
          const details = h('details', {}, h('summary', {}, `As ${each === 'cpp' ? 'C++' : each === 'latex' ? 'LaTeX' : each === 'c' ? 'C' : each.charAt(0).toUpperCase() + each.slice(1)}`));
          details.addEventListener('toggle', async () => {
            if (!details.open || details.childElementCount > 1) return;
            const answer = await call('inclusion_code', [text, each]);
            details.append(copied(answer.text!));
          });
          return details;
        }),
      );
      const answer = await call('run', [text, [], false, [], 'PROGRESS', null], { group });
      if (serial !== this.serial) return;
      const stated = json.states.filter((each: any) => !each.appended).map((each: any) => each.name);
      const names = stated.filter((name: string) => answer.columns.some((each) => each.name === name)).slice(0, 6);
      const curves = [{ label: 'run', colour: colourOf(0), dash: [], columns: answer.columns }];
      if (this.panels.map((each) => each.y).join() !== names.join()) {
        this.panels.forEach((each) => each.destroy());
        this.panels = names.map((name: string) => new Panel('t', name, () => {}));
        fill(this.figures, this.panels.map((each) => each.element));
      }
      this.panels.forEach((each) => each.show(curves, 0));
    } catch (problem) {
      if (!(problem instanceof Abandoned) && serial === this.serial) this.fail((problem as Error).message);
    }
  }
}
