// SPDX-License-Identifier: Apache-2.0

// Cards of the library, asked for once.

import { call } from './core';
import type { Quantity } from './controls';
import type { Table, Value } from './scenario';

export interface Parameter extends Quantity {
  default: number | string | number[];
  words?: string[];
  is_list: boolean;
  is_count: boolean;
}
export interface ModelCard {
  model: string;
  family: string;
  title: string;
  source: string;
  claims: string[];
  curves: string[];
  curve?: string;
  parameters: Parameter[];
  states: { name: string; unit: string }[];
  port: { name: string; inputs: { name: string; unit: string }[]; outputs: { name: string; unit: string }[] };
  page?: string;
  equations?: string;
}
export interface Key extends Quantity {
  table: string;
  key: string;
  kind: string;
  required: boolean;
  default?: string;
  words?: string[];
  families?: string[];
}
export interface SystemCard {
  system: string;
  what: string;
  keys: Key[];
  states: { name: string; unit: string }[];
  outputs: { name: string; unit: string }[];
  inputs: { name: string; unit: string }[];
  events: string[];
  methods: { method: string; fits: boolean; is_default: boolean; why_not: string }[];
  scenario: string;
  page: string;
  equations: string;
}
export interface Cards {
  version: string;
  models: ModelCard[];
  systems: { system: string; what: string }[];
  signals: { signal: string; meaning: string; keys: Key[] }[];
  methods: { method: string; meaning: string; is_fixed: boolean; is_absent: boolean }[];
  measures: { measure: string; meaning: string }[];
}

let all: Promise<Cards> | null = null;
const systems = new Map<string, Promise<SystemCard>>();
const models = new Map<string, Promise<ModelCard>>();

function kept<T>(from: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let found = from.get(key);
  if (!found) {
    found = make();
    found.catch(() => from.delete(key));
    from.set(key, found);
  }
  return found;
}

export const cards = () => (all ??= call<Cards>('cards', []).then((answer) => answer.json));
export const systemCard = (name: string) =>
  kept(systems, name, () => call<SystemCard>('system_card', [name]).then((answer) => answer.json));
export const modelCard = (name: string, curve = '') =>
  kept(models, `${name}/${curve}`, () => call<ModelCard>('model_card', [name, curve]).then((answer) => answer.json));

// Symbols of different sources for the same thing; which model has which is on the cards.
const alike = [
  ['F_c', 'F'],
  ['sigma_0', 'K', 'kappa', 'k'],
  ['v_s', 'V'],
];

// The table of another model in place of this one: what both have keeps its value, so that they can be
// compared at once. Quantities of other units and lists are left to their defaults.
export function inPlaceOf(table: Table, old: ModelCard, model: ModelCard): Table {
  const result: Table = { model: model.model };
  if (table.curve && model.curves.includes(table.curve as string)) result.curve = table.curve;
  const valueOf = (name: string): Value | undefined => {
    const parameter = old.parameters.find((each) => each.name === name);
    if (!parameter || parameter.is_list || parameter.is_count) return undefined;
    return table[name] ?? parameter.default;
  };
  for (const parameter of model.parameters) {
    if (parameter.is_list || parameter.is_count || parameter.words) continue;
    const group = alike.find((each) => each.includes(parameter.name)) ?? [];
    for (const name of [parameter.name, ...group]) {
      const from = old.parameters.find((each) => each.name === name);
      const value = valueOf(name);
      if (!from || from.unit !== parameter.unit || typeof value !== 'number') continue;
      const isAllowed =
        (parameter.minimum == null || value > parameter.minimum || (value === parameter.minimum && !parameter.minimum_is_excluded)) &&
        (parameter.maximum == null || value <= parameter.maximum);
      if (isAllowed) result[parameter.name] = value;
      break;
    }
  }
  return result;
}
