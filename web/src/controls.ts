// SPDX-License-Identifier: Apache-2.0

// Controls made from cards: a slider and a number, a choice, a switch, a text. Names, units, ranges and
// meanings are those of the card.

import { h } from './dom';
import { number, symbol, unitText, words } from './names';
import { inlineToml, type Value } from './scenario';

export interface Quantity {
  name: string;
  unit?: string;
  meaning: string;
  minimum?: number | null;
  minimum_is_excluded?: boolean;
  maximum?: number | null;
  whole?: boolean;
}

let count = 0;

// Where a slider goes: twenty times up and down from a positive value, or as far as the range allows.
export function sliderRange(value: number, of: Quantity): { from: number; to: number; isLog: boolean } {
  const low = of.minimum ?? -Infinity;
  const high = of.maximum ?? Infinity;
  if (of.whole) {
    return { from: Math.max(low, 0), to: Math.min(high, Math.max(10, 4 * value)), isLog: false };
  }
  if (low >= 0 && value > 0 && !(high < 20 * value && low > value / 20)) {
    return { from: Math.max(low, value / 20), to: Math.min(high, value * 20), isLog: !(high <= 1 && low === 0) };
  }
  if (Number.isFinite(low) && Number.isFinite(high)) return { from: low, to: high, isLog: false };
  const reach = Math.abs(value) > 0 ? 5 * Math.abs(value) : 1;
  return { from: Math.max(low, -reach), to: Math.min(high, reach), isLog: false };
}

export function numberControl(
  of: Quantity,
  value: number,
  change: (value: number) => void,
): HTMLElement {
  const id = `control-${++count}`;
  const range = sliderRange(value, of);
  if (range.isLog && range.from <= 0) range.from = range.to / 1e4;
  const toSlider = (x: number) => (range.isLog ? Math.log10(Math.max(x, range.from)) : x);
  const ends = [toSlider(range.from), toSlider(range.to)];
  const label = `${words(of.name)}${of.unit && of.unit !== '-' ? `, in ${of.unit}` : ''}`;
  const slider = h('input', {
    type: 'range',
    min: ends[0],
    max: ends[1],
    step: of.whole ? 1 : (ends[1] - ends[0]) / 400,
    value: toSlider(value),
    'aria-label': `${label}, ${range.isLog ? 'logarithmic' : 'linear'} slider`,
    'aria-valuetext': number(value),
    'aria-describedby': `${id}-meaning`,
    'data-name': of.name,
  });
  const entry = h('input', {
    type: 'text',
    inputmode: 'decimal',
    id,
    value: number(value, 6),
    'aria-label': label,
    'aria-describedby': `${id}-meaning`,
    'data-name': of.name,
    spellcheck: 'false',
  });
  slider.addEventListener('input', () => {
    const raw = range.isLog ? 10 ** Number(slider.value) : Number(slider.value);
    const chosen = of.whole ? Math.round(raw) : Number(raw.toPrecision(4));
    entry.value = number(chosen, 6);
    entry.removeAttribute('aria-invalid');
    slider.setAttribute('aria-valuetext', number(chosen));
    change(chosen);
  });
  entry.addEventListener('change', () => {
    const chosen = Number(entry.value.replace(',', '.'));
    if (entry.value.trim() === '' || !Number.isFinite(chosen)) {
      entry.setAttribute('aria-invalid', 'true');
      return;
    }
    entry.removeAttribute('aria-invalid');
    slider.value = String(toSlider(chosen));
    change(chosen);
  });
  return h(
    'div',
    { class: 'control' },
    h('label', { for: id, class: 'name' }, symbol(of.name), of.unit && of.unit !== '-' ? h('span', { class: 'unit' }, unitText(of.unit)) : ''),
    entry,
    slider,
    h('small', { id: `${id}-meaning` }, of.meaning),
  );
}

export function choiceControl(
  name: string,
  meaning: string,
  options: { value: string; label: string; group?: string }[],
  value: string,
  change: (value: string) => void,
  label = words(name),
): HTMLElement {
  const id = `control-${++count}`;
  const select = h('select', { id, 'data-name': name, 'aria-label': label });
  const groups = new Map<string, HTMLElement>();
  for (const each of options) {
    let parent: HTMLElement = select;
    if (each.group) {
      if (!groups.has(each.group)) {
        groups.set(each.group, h('optgroup', { label: each.group }));
        select.append(groups.get(each.group)!);
      }
      parent = groups.get(each.group)!;
    }
    parent.append(h('option', { value: each.value, selected: each.value === value }, each.label));
  }
  select.value = value;
  select.addEventListener('change', () => change(select.value));
  return h(
    'div',
    { class: 'control choice' },
    h('label', { for: id, class: 'name' }, symbol(name)),
    select,
    meaning ? h('small', {}, meaning) : '',
  );
}

export function flagControl(name: string, meaning: string, value: boolean, change: (value: boolean) => void) {
  const box = h('input', { type: 'checkbox', 'data-name': name });
  box.checked = value;
  box.addEventListener('change', () => change(box.checked));
  return h('label', { class: 'control flag' }, box, h('span', {}, words(name)), h('small', {}, meaning));
}

// Lists and tables, as they are written in a file.
export function textControl(name: string, meaning: string, value: Value | undefined, change: (value: Value | undefined) => void, otherwise = '') {
  const id = `control-${++count}`;
  const entry = h('input', {
    type: 'text',
    id,
    'data-name': name,
    value: value === undefined ? '' : typeof value === 'string' ? value : inlineToml(value),
    placeholder: otherwise,
    spellcheck: 'false',
  });
  entry.addEventListener('change', () => {
    const text = entry.value.trim();
    if (!text) return change(undefined);
    try {
      const parsed = JSON.parse(text);
      change(parsed);
    } catch {
      change(text);
    }
  });
  return h(
    'div',
    { class: 'control text' },
    h('label', { for: id, class: 'name' }, symbol(name)),
    entry,
    h('small', {}, meaning),
  );
}
