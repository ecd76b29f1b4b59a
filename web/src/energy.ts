// SPDX-License-Identifier: Apache-2.0

// Where the energy is at an instant: what bodies hold, what elements store and have dissipated, what inputs
// have supplied. Only runs whose system has an energy balance are shown.

import { colourOf, valueAt } from './charts';
import type { Column } from './core';
import { h } from './dom';
import { number, words } from './names';
import type { Shown } from './lab';

interface Bar {
  t: Float64Array;
  column: Column;
  bar: HTMLElement;
  value: HTMLElement;
}

export class EnergyBars {
  readonly element = h('section', { class: 'energy', 'aria-label': 'Energy balance' });
  private bars: Bar[] = [];
  private scale = 1;

  show(shown: Shown[], time: number) {
    this.bars = [];
    this.element.replaceChildren();
    const audited = shown.map((each, i) => ({ each, i })).filter(({ each }) => each.answer?.audit);
    if (!audited.length) return;
    const isShown = (name: string) => !/^(taken_|residual|total)/.test(name);
    const names: string[] = [];
    this.scale = 0;
    for (const { each } of audited) {
      // Of what an element dissipates the sum is enough; its parts repeat it.
      const columns = each.answer!.audit!.columns.filter((column) => isShown(column.name));
      const elements = columns.filter((column) => column.name.startsWith('dissipated_')).map((column) => column.name.slice(11));
      for (const column of columns) {
        if (elements.some((element) => column.name.startsWith(`${element}_`))) continue;
        if (!column.values.some((value) => value !== 0)) continue;
        if (!names.includes(column.name)) names.push(column.name);
        for (const value of column.values) this.scale = Math.max(this.scale, Math.abs(value));
      }
    }
    this.scale ||= 1;
    const rows = names.map((name) =>
      h(
        'div',
        { class: 'energy-row' },
        h('span', { class: 'energy-name' }, words(name)),
        h(
          'div',
          { class: 'energy-bars' },
          audited.map(({ each, i }) => {
            const column = each.answer!.audit!.columns.find((one) => one.name === name);
            if (!column) return '';
            const bar = h('i', { style: `background:${colourOf(i)}` });
            const value = h('span', { class: 'energy-value' });
            this.bars.push({ t: each.answer!.audit!.t, column, bar, value });
            return h('div', { class: 'energy-bar' }, h('div', { class: 'energy-track' }, bar), value);
          }),
        ),
      ),
    );
    const gaps = audited.map(({ each }) => `${each.label} ${each.answer!.json.audit.greatest_gap_relative.toExponential(1)}`);
    this.element.append(
      h('h2', {}, 'Energy'),
      h('div', { class: 'energy-rows' }, rows),
      h('p', { class: 'none' }, `Greatest gap in the balance, relative to the energy exchanged: ${gaps.join(', ')}.`),
    );
    this.setTime(time);
  }

  setTime(time: number) {
    for (const { t, column, bar, value } of this.bars) {
      const energy = valueAt(t, column.values, time);
      const share = Math.min(1, Math.abs(energy) / this.scale) * 50;
      bar.style.width = `${share}%`;
      bar.style.left = energy < 0 ? `${50 - share}%` : '50%';
      value.textContent = `${number(energy, 3)} J`;
    }
  }
}
