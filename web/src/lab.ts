// SPDX-License-Identifier: Apache-2.0

// The lab: a system, up to six models or runs side by side, their curves, the mechanism in motion, where the
// energy went, and everything to take along.

import examples from 'repository:examples';
import { cards, inPlaceOf, modelCard, systemCard, type Cards, type Key, type ModelCard, type SystemCard } from './cards';
import { colourOf, columnOf, dashes, Panel, valueAt, type Curve } from './charts';
import { choiceControl, flagControl, numberControl, textControl } from './controls';
import { Abandoned, call, Newest, type Answer, type Column } from './core';
import { EnergyBars } from './energy';
import { exportsOf } from './exports';
import { fill, h, wantsRest } from './dom';
import { useExperiments } from './experiments';
import { measuredBox, type Measured } from './measured';
import { number, symbol, symbolText, unitText, words } from './names';
import { PatchViews } from './patch';
import { get, inSi, isTable, set, toToml, type Table, type Value } from './scenario';
import { draw } from './sketch';
import { listen, pitchOf } from './sound';
import { emptyState, mostRuns, toHash, type LabState, type RunChoice } from './state';

interface Base {
  label: string;
  document: Table;
  title: string;
  panels: { x: string; y: string[] }[];
}
export interface Shown {
  label: string;
  document: Table;
  answer: Answer | null;
  places?: Column[]; // of grains, which only the sketch shows
  problem: string;
}

// What stands in the place of the answer while a run is on its way, or was stopped there.
const partly = { outcome: 'stopped', detail: 'shown as far as it came', hint: '', warnings: [], measures: [], views: {}, steps: 0 };

// An experiment of tables alone: they stand beside its claims.
class NoMotion extends Error {}

const mostGrains = 1000; // whose places are asked for

const group = 'lab';

export class Lab {
  readonly element = h('div', { class: 'lab' });
  state: LabState = emptyState('system:pulled_mass');
  bases: Base[] = [];
  card!: SystemCard;
  table = '';
  shown: Shown[] = [];
  measured: Measured | null = null;
  time = 0;
  keepsAddress = false; // of a lesson or an experiment
  readonly closeSheet: () => void;

  readonly lead = h('div', { class: 'lead' }); // a lesson
  readonly tail = h('div', { class: 'tail' }); // claims

  private panels: Panel[] = [];
  private playing = false;
  private opened = 0;
  private isNew = false;
  private isRunning = false;
  private isPatchBusy = false;
  private isPartShown = false;
  private frame = 0;
  private readonly controls = h('aside', { class: 'controls', 'aria-label': 'Settings' });
  private readonly heading = h('h1', {}, 'Friction lab');
  private readonly about = h('p', { class: 'about' });
  private readonly status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
  private readonly bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress of the run' });
  private readonly stop = h('button', { class: 'quiet', onclick: () => this.cancel() }, 'Stop');
  private readonly canvas = h('canvas', { class: 'sketch', role: 'img', 'aria-label': 'The mechanism in motion' });
  private readonly play = h('button', { class: 'play', 'aria-label': 'Play', onclick: () => this.toggle() }, '▶');
  private readonly ear = h('button', { class: 'quiet ear', hidden: true, onclick: () => this.hear() });
  private readonly scrub = h('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': 'Time' });
  private readonly clock = h('output', { class: 'clock' }, '0 s');
  private readonly figures = h('section', { class: 'figures', 'aria-label': 'Curves' });
  private readonly energy = new EnergyBars();
  private readonly patch = new PatchViews((share) => {
    this.isPatchBusy = share !== null;
    if (!this.isRunning && share !== null) this.bar.value = share;
    this.showBusy();
  });
  private readonly runs = new Newest(group, (isWanted) => this.runOnce(isWanted));
  private readonly numbers = h('section', { class: 'numbers', 'aria-label': 'Measures' });
  private readonly legend = h('ul', { class: 'legend', 'aria-label': 'Runs' });
  private readonly take = h('section', { class: 'take', 'aria-label': 'Share and export' });
  private readonly data = h('section', { class: 'measured', 'aria-label': 'Measured data' });

  constructor() {
    this.scrub.addEventListener('input', () => this.setTime((Number(this.scrub.value) / 1000) * this.duration()));
    this.element.append(
      this.controls,
      h(
        'div',
        { class: 'stage' },
        this.lead,
        h('header', { class: 'stage-head' }, this.heading, this.about),
        h('div', { class: 'status-line' }, this.status, this.bar, this.stop),
        this.legend,
        h('div', { class: 'sketch-box' }, this.canvas, h('div', { class: 'transport' }, this.play, this.scrub, this.clock, this.ear)),
        this.figures,
        this.patch.element,
        this.numbers,
        this.energy.element,
        this.tail,
        this.data,
        this.take,
      ),
    );
    // On small screens the settings are a sheet over the lower half, so that curves can be seen to change.
    const sheet = h('button', { class: 'sheet strong', 'aria-expanded': 'false', onclick: () => showSheet(!this.element.hasAttribute('data-sheet')) }, 'Settings');
    const showSheet = (isShown: boolean) => {
      this.element.toggleAttribute('data-sheet', isShown);
      sheet.setAttribute('aria-expanded', String(isShown));
      sheet.textContent = isShown ? 'Close' : 'Settings';
      if (isShown) this.controls.querySelector<HTMLElement>('select')?.focus({ preventScroll: true });
    };
    this.closeSheet = () => showSheet(false);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.element.hasAttribute('data-sheet')) return;
      showSheet(false);
      sheet.focus();
    });
    this.element.append(sheet);
    this.data.append(measuredBox(this));
    new ResizeObserver(() => this.drawSketch()).observe(this.canvas);
  }

  // ---- opening ----------------------------------------------------------------------------------------

  async open(state: LabState) {
    const opening = ++this.opened;
    const isLatest = () => opening === this.opened;
    this.cancel();
    this.pause();
    this.state = state;
    this.tail.replaceChildren();
    this.element.removeAttribute('data-still');
    this.say('Loading …', true);
    try {
      const bases = await this.readBases(state);
      const kind = String(get(bases[0].document, 'system.kind') ?? '');
      const card = await systemCard(kind);
      if (!isLatest()) return;
      this.bases = bases;
      this.card = card;
      const tables = this.modelKeys().map((each) => each.key);
      this.table = tables.includes(state.table) ? state.table : (tables.find((each) => each === 'friction') ?? tables[0] ?? '');
      state.runs = state.runs.filter((each) => this.bases[each.base]);
      if (!state.runs.length) {
        state.runs = this.bases.slice(0, mostRuns).map((_, base) => ({ base, model: '', set: {} }));
      }
      this.heading.textContent = this.bases[0].title || words(kind).replace(/^./, (each) => each.toUpperCase());
      this.about.textContent = this.card.what.charAt(0).toUpperCase() + this.card.what.slice(1) + '.';
      await this.buildControls();
      if (!isLatest()) return;
      this.time = Math.max(0, state.time ?? 0);
      await this.run(true);
      if (isLatest() && state.time === null && !wantsRest()) this.start();
    } catch (problem) {
      if (!(problem instanceof Abandoned) && isLatest()) this.fail(problem as Error);
    }
  }

  // What cannot be opened at all.
  refuse(problem: Error) {
    ++this.opened;
    this.cancel();
    this.pause();
    this.state = emptyState('');
    this.tail.replaceChildren();
    this.fail(problem);
  }

  private async readBases(state: LabState): Promise<Base[]> {
    const colon = state.from.indexOf(':');
    const kind = colon < 0 ? state.from : state.from.slice(0, colon);
    const id = state.from.slice(colon + 1);
    let list: { label: string; text: string; title?: string; panels?: { x: string; y: string[] }[] }[];
    if (kind === 'system') list = [{ label: '', text: (await systemCard(id)).scenario }];
    else if (kind === 'example' && Object.hasOwn(examples, id)) list = [{ label: '', text: examples[id] }];
    else if (kind === 'experiment') {
      await useExperiments();
      const experiment = (await call('experiment_card', [id])).json;
      list = experiment.runs
        .filter((each: any) => !each.is_analysis)
        .map((each: any) => ({ label: each.label || each.name, text: each.text, title: experiment.title, panels: experiment.panels }));
      if (!list.length) throw new NoMotion(experiment.title);
    } else if (kind === 'text') list = [{ label: '', text: state.text }];
    else throw new Error(`nothing is known about '${state.from}': choose a system in the settings`);
    return Promise.all(
      list.map(async ({ label, text, title, panels }) => {
        const { json } = await call('read', [text]);
        return {
          label,
          document: inSi(json.document, json.resolved),
          title: title ?? (json.title === 'scenario' ? '' : json.title),
          panels: panels ?? json.panels,
        };
      }),
    );
  }

  private modelKeys(): Key[] {
    return this.card.keys.filter((each) => each.kind === 'model' && each.table === '');
  }

  // ---- documents --------------------------------------------------------------------------------------

  async documentOf(run: RunChoice): Promise<Table> {
    const document = structuredClone(this.bases[run.base].document);
    for (const [path, value] of Object.entries(this.state.set)) set(document, path, value);
    const table = this.table ? document[this.table] : undefined;
    if (run.model && this.table && (!isTable(table) || table.model !== run.model)) {
      const model = await modelCard(run.model);
      document[this.table] =
        isTable(table) && table.model ? inPlaceOf(table, await modelCard(String(table.model)), model) : { model: run.model };
    }
    for (const [path, value] of Object.entries(run.set)) set(document, path, value);
    return document;
  }

  private async labelOf(run: RunChoice, document: Table): Promise<string> {
    const model = this.table ? (get(document, `${this.table}.model`) as string) : '';
    const base = this.bases[run.base].label;
    if (base && !run.model) return base;
    if (!model) return base || words(this.card.system);
    const title = (await modelCard(model)).title;
    return title.length > 34 ? words(model) : title;
  }

  // ---- running ----------------------------------------------------------------------------------------

  // Runs what is set.
  run(isNew = false): Promise<void> {
    this.isNew ||= isNew;
    return this.runs.ask();
  }

  private async runOnce(isWanted: () => boolean) {
    const runs = this.state.runs;
    const documents = await Promise.all(runs.map((each) => this.documentOf(each)));
    const labels = await Promise.all(runs.map((each, i) => this.labelOf(each, documents[i])));
    // Runs of the same name are told apart by what was changed in one and not in the other.
    const twins = labels.map((label) => runs.filter((_, i) => labels[i] === label));
    runs.forEach((run, i) => {
      const differs = ([path, value]: [string, Value]) => twins[i].some((each) => JSON.stringify(each.set[path]) !== JSON.stringify(value));
      const changes = Object.entries(run.set).filter(differs).slice(0, 2).map(([path, value]) => `${symbolText(path.split('.').pop()!)} = ${typeof value === 'number' ? number(value) : value}`);
      labels[i] += changes.length ? `, ${changes.join(', ')}` : '';
    });
    const plain = [...labels];
    plain.forEach((label, i) => {
      const before = plain.slice(0, i).filter((each) => each === label).length;
      if (before) labels[i] += ` (${before + 1})`;
    });
    if (!isWanted()) return;
    this.say(runs.length > 1 ? `Running ${runs.length} simulations …` : 'Running …', true);
    const shares = runs.map(() => 0);
    const began = performance.now();
    // Curves of a run that lasts grow while it does.
    const parts: Shown[] = documents.map((document, i) => ({ label: labels[i], document, answer: null, problem: '' }));
    const take = (i: number, columns: Column[], json: Answer['json'], rest: Partial<Answer> = {}): Shown => {
      const isPlace = (each: Column) => /^[xyz]_\d+$/.test(each.name);
      const isOwn = !this.wantsPlaces(documents[i]);
      const own = isOwn ? columns : columns.filter((each) => !isPlace(each));
      return { label: labels[i], document: documents[i], answer: { ...rest, json, columns: own }, places: isOwn ? undefined : columns.filter(isPlace), problem: '' };
    };
    const shown = await Promise.all(
      documents.map(async (document, i): Promise<Shown> => {
        try {
          const settings = this.wantsPlaces(document) ? ['system.places=true'] : [];
          const answer = await call('run', [toToml(document), settings, true, this.state.measures, 'PROGRESS', 'PARTS'], {
            group,
            progress: (fraction) => {
              shares[i] = fraction;
              this.bar.value = shares.reduce((a, b) => a + b, 0) / shares.length;
            },
            part: (columns) => {
              if (!isWanted()) return;
              parts[i] = take(i, columns, partly);
              this.showPart(parts);
            },
          });
          shares[i] = 1;
          return (parts[i] = take(i, answer.columns, answer.json, answer));
        } catch (problem) {
          if (problem instanceof Abandoned) throw problem;
          return { label: labels[i], document, answer: null, problem: (problem as Error).message };
        }
      }),
    );
    if (!isWanted()) return;
    const milliseconds = performance.now() - began;
    this.isPartShown = false;
    this.shown = shown;
    this.show(this.isNew);
    this.isNew = false;
    const steps = shown.reduce((sum, each) => sum + (each.answer?.json.steps ?? 0), 0);
    this.say(`${steps.toLocaleString('en')} steps in ${Math.round(milliseconds)} ms`, false);
    void this.share();
  }

  // Where grains are not told of in the file, their places are asked for beside what it records.
  private wantsPlaces(document: Table): boolean {
    const key = (name: string) => this.card.keys.find((each) => each.table === 'system' && each.key === name);
    if (!key('places') || get(document, 'system.places') !== undefined) return false;
    const count = (name: string): number => {
      const given = get(document, `system.${name}`);
      const usual = key(name)?.default;
      return typeof given === 'number' ? given : !usual ? 1 : Number.isFinite(Number(usual)) ? Number(usual) : count(usual);
    };
    return count('columns') * count('rows') * count('layers') <= mostGrains;
  }

  // Only what moves: the rest is shown when all runs are done.
  private showPart(parts: Shown[]) {
    const isFirst = !this.isPartShown;
    this.shown = [...parts];
    this.isPartShown = true;
    if (this.isNew && isFirst) {
      this.buildPanels(true);
      this.showLegend();
    }
    this.time = Math.min(this.time, this.duration());
    const curves = this.curves();
    for (const each of this.panels) each.show(curves, this.time);
    this.drawSketch();
    this.showClock();
  }

  cancel() {
    this.runs.stop();
    this.patch.stop();
    this.say('Stopped.', false);
    if (!this.isPartShown) return;
    this.isPartShown = false;
    this.refresh();
  }

  private say(text: string, isBusy: boolean) {
    this.status.textContent = text;
    this.isRunning = isBusy;
    if (isBusy) this.bar.value = 0;
    this.showBusy();
  }

  private showBusy() {
    const isBusy = this.isRunning || this.isPatchBusy;
    this.bar.hidden = this.stop.hidden = !isBusy;
    this.element.toggleAttribute('data-busy', isBusy);
  }

  private fail(problem: Error) {
    const isTables = problem instanceof NoMotion;
    this.say('', false);
    this.shown = [];
    this.panels.forEach((each) => each.destroy());
    this.panels = [];
    for (const each of [this.figures, this.legend, this.numbers, this.take]) fill(each);
    this.energy.show([], 0);
    this.patch.show([], 0);
    this.drawSketch();
    this.heading.textContent = isTables ? problem.message : 'Friction lab';
    fill(this.about);
    fill(this.status, isTables ? 'This experiment consists of tables, not of motions.' : h('span', { class: 'problem' }, problem.message));
    this.element.setAttribute('data-still', ''); // nothing moves, and there is nothing to compare data with
    // Settings of what was shown before would change what is not there.
    fill(this.controls);
    cards().then((all) => this.shown.length || this.controls.childElementCount || fill(this.controls, this.systemChoice(all)), () => {});
  }

  curves(): Curve[] {
    const curves: Curve[] = [];
    this.shown.forEach((each, i) => {
      if (each.answer) curves.push({ label: each.label, colour: colourOf(i), dash: dashes[i % dashes.length], columns: each.answer.columns, places: each.places });
    });
    if (this.measured) curves.push(this.measured.curve());
    return curves;
  }

  duration(): number {
    let last = 0;
    for (const each of this.shown) {
      const t = each.answer && columnOf(each.answer.columns, 't')?.values;
      if (t && t.length) last = Math.max(last, t[t.length - 1]);
    }
    return last || 1;
  }

  // ---- showing ----------------------------------------------------------------------------------------

  private show(isNew: boolean) {
    void this.showNumbers();
    this.buildPanels(isNew);
    this.time = Math.min(this.time, this.duration());
    this.refresh();
  }

  private showLegend() {
    fill(
      this.legend,
      this.shown.map((each, i) => {
        const outcome = each.answer?.json.outcome;
        const notes = [...(each.answer?.json.warnings ?? [])];
        if (outcome && outcome !== 'completed' && !this.isPartShown) notes.unshift([outcome, each.answer!.json.detail, each.answer!.json.hint].filter(Boolean).join(': '));
        return h(
          'li',
          {},
          h('span', { class: 'key', 'aria-hidden': 'true', html: `<svg width="34" height="8"><path d="M1 4h32" stroke="${colourOf(i)}" stroke-width="2.5" stroke-dasharray="${dashes[i].join(' ')}"/></svg>` }),
          h('strong', {}, each.label),
          each.problem ? h('span', { class: 'problem' }, each.problem) : '',
          notes.length ? h('details', { class: 'notes' }, h('summary', {}, notes.length === 1 ? '1 note' : `${notes.length} notes`), notes.map((note) => h('p', {}, note))) : '',
        );
      }),
    );
  }

  refresh() {
    this.showLegend();
    this.controls.querySelectorAll<HTMLElement>('section.run').forEach((each, i) => each.style.setProperty('--run', colourOf(i)));
    const curves = this.curves();
    for (const each of this.panels) each.show(curves, this.time);
    this.drawSketch();
    this.showClock();
    this.energy.show(this.shown, this.time);
    this.patch.show(this.shown, this.time);
    const sound = this.sounding();
    this.ear.hidden = !sound;
    if (sound) this.ear.textContent = `♪ ${number(pitchOf(...sound), 3)} Hz`;
    if (sound) this.ear.setAttribute('aria-label', `Listen to the oscillation of ${number(pitchOf(...sound), 3)} hertz, shifted into the audible range`);
    fill(this.take, exportsOf(this));
  }

  // At once: a sheet of paper does not wait for what tells sizes.
  resize() {
    this.refresh();
    for (const each of this.panels) each.resize();
  }

  // Numbers taken from the runs, such as maximum(f): a table, and a way to ask for more.
  private async showNumbers() {
    const { measures } = await cards();
    const names = this.columnNames().filter((each) => each !== 't');
    const word = h('select', { 'aria-label': 'Measure' }, measures.map((each) => h('option', { value: each.measure, title: each.meaning }, `${words(each.measure)}: ${each.meaning}`)));
    const column = h('select', { 'aria-label': 'Column' }, names.map((name) => h('option', { value: name, selected: name === 'f' }, symbolText(name))));
    const ask = (list: string[]) => {
      this.state.measures = list;
      void this.run();
    };
    const asked = this.state.measures;
    fill(
      this.numbers,
      h('h2', {}, 'Measures'),
      asked.length
        ? h(
            'table',
            { class: 'estimates' },
            h('tr', {}, h('td'), this.shown.map((each, i) => h('th', { scope: 'col', style: `color:${colourOf(i)}` }, each.label)), h('td')),
            asked.map((text, row) =>
              h(
                'tr',
                {},
                h('th', { scope: 'row' }, text),
                this.shown.map((each) => {
                  const found = each.answer?.json.measures[row];
                  if (!found) return h('td', {}, '–');
                  return found.error ? h('td', { class: 'problem' }, found.error) : h('td', {}, found.value === null ? 'none' : number(found.value, 6), ' ', h('span', { class: 'unit' }, unitText(found.unit)));
                }),
                h('td', {}, h('button', { class: 'quiet', 'aria-label': `Remove ${text}`, onclick: () => ask(asked.filter((_, i) => i !== row)) }, '×')),
              ),
            ),
          )
        : '',
      h('p', { class: 'buttons' }, word, column, h('button', { onclick: () => ask([...new Set([...asked, `${word.value}(${column.value})`])].slice(-12)) }, '+ Measure')),
    );
  }

  // All names that some run has.
  columnNames(): string[] {
    const names = new Set<string>();
    for (const each of this.shown) each.answer?.columns.forEach((column) => names.add(column.name));
    this.measured?.curve().columns.forEach((column) => names.add(column.name));
    return [...names];
  }

  private chosenPanels() {
    const names = this.columnNames();
    const has = (name: string) => names.includes(name);
    const kept = this.state.panels.filter((each) => has(each.x) && has(each.y));
    if (kept.length) return kept;
    // An input that is not used has nothing to show.
    const changes = (name: string) => this.curves().some((each) => columnOf(each.columns, name)?.values.some((value, _, all) => value !== all[0]));
    const stated = this.bases[0].panels.flatMap((each) => each.y.slice(0, 1).map((y) => ({ x: each.x || 't', y }))).filter((each) => has(each.x) && has(each.y) && changes(each.y));
    const columns = this.shown.find((each) => each.answer)?.answer!.columns ?? [];
    const inUnit = (...units: string[]) => columns.find((each) => each.name !== 't' && units.includes(each.unit))?.name;
    const place = inUnit('m', 'rad');
    const rate = inUnit('m/s', 'rad/s');
    const force = has('f') ? 'f' : inUnit('N', 'N m');
    const list = stated.length ? stated : ([place, rate, force].filter(Boolean) as string[]).map((y) => ({ x: 't', y }));
    if (!list.length && columns.length > 1) list.push({ x: 't', y: columns[1].name });
    const planes = [
      [place, rate],
      [rate, force],
      [place, force],
    ];
    for (const [x, y] of planes) {
      if (x && y && list.length < 6 && !list.some((each) => each.x === x && each.y === y)) list.push({ x, y });
    }
    return list.slice(0, 6);
  }

  private buildPanels(isNew: boolean) {
    const wanted = this.chosenPanels();
    const same = !isNew && this.panels.length === wanted.length && wanted.every((each, i) => this.panels[i].x === each.x && this.panels[i].y === each.y);
    if (same) return;
    this.panels.forEach((each) => each.destroy());
    const change = (i: number, to: { x: string; y: string } | null) => {
      const list = this.chosenPanels().map((each) => ({ ...each }));
      if (to) list[i] = to;
      else list.splice(i, 1);
      this.state.panels = list;
      this.buildPanels(true);
      this.refresh();
      void this.share();
    };
    this.panels = wanted.map((each, i) => {
      const names = this.columnNames();
      const pick = (axis: 'x' | 'y') => {
        const select = h('select', { 'aria-label': `${axis === 'x' ? 'Horizontal' : 'Vertical'} axis of panel ${i + 1}` }, names.map((name) => h('option', { value: name, selected: name === each[axis] }, name === 't' ? 'time' : symbolText(name))));
        select.addEventListener('change', () => change(i, { ...each, [axis]: select.value }));
        return select;
      };
      const panel: Panel = new Panel(each.x, each.y, (time) => this.setTime(time), { y: pick('y'), x: pick('x') }, [
        h('button', { class: 'quiet', title: 'Show all', 'aria-label': `Show all of panel ${i + 1}`, onclick: () => panel.reset() }, '⤢'),
        wanted.length > 1 ? h('button', { class: 'quiet', title: 'Remove', 'aria-label': `Remove panel ${i + 1}`, onclick: () => change(i, null) }, '×') : h('span'),
      ]);
      return panel;
    });
    fill(
      this.figures,
      this.panels.map((each) => each.element),
      h('button', { class: 'add-panel', onclick: () => change(wanted.length, { x: 't', y: this.columnNames()[1] }) }, '+ Panel'),
    );
  }

  // The speed of the first run that has one, where it repeats: what a microphone nearby would pick up.
  private sounding(): [Float64Array, Float64Array] | null {
    for (const each of this.shown) {
      const t = each.answer && columnOf(each.answer.columns, 't')?.values;
      const rate = each.answer?.columns.find((column) => ['m/s', 'rad/s'].includes(column.unit))?.values;
      if (t && rate && pitchOf(t, rate)) return [t, rate];
    }
    return null;
  }

  private hear() {
    const found = this.sounding();
    if (found) listen(...found);
  }

  private drawSketch() {
    if (this.card) draw(this.canvas, this.card.system, this.curves(), this.shown.filter((each) => each.answer).map((each) => each.document), this.time);
  }

  private showClock() {
    const duration = this.duration();
    this.scrub.value = String((1000 * this.time) / duration);
    this.scrub.setAttribute('aria-valuetext', `${number(this.time, 3)} seconds`);
    this.clock.textContent = `${this.time.toFixed(duration < 1 ? 4 : duration < 20 ? 2 : 1)} s`;
  }

  setTime(time: number) {
    this.time = Math.max(0, Math.min(time, this.duration()));
    this.drawSketch(); // first: it asks for its size
    for (const each of this.panels) each.setTime(this.time);
    this.showClock();
    this.energy.setTime(this.time);
    this.patch.setTime(this.time);
  }

  // ---- motion -----------------------------------------------------------------------------------------

  private toggle() {
    if (this.playing) {
      this.pause();
      this.state.time = this.time;
      void this.share();
    } else this.start();
  }

  private start() {
    if (this.playing) return;
    this.playing = true;
    this.play.textContent = '⏸';
    this.play.setAttribute('aria-label', 'Pause');
    if (this.time >= this.duration() * 0.999) this.time = 0;
    let last = performance.now();
    const step = (now: number) => {
      if (!this.playing) return;
      const duration = this.duration();
      // Whatever its duration, a run lasts ten seconds on the screen, or its own time where that is near.
      const pace = duration >= 5 && duration <= 20 ? 1 : duration / 10;
      const next = this.time + ((now - last) / 1000) * pace;
      last = now;
      if (document.visibilityState === 'visible' && this.element.isConnected) this.setTime(next);
      if (next >= duration) {
        this.pause();
        return;
      }
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.play.textContent = '▶';
    this.play.setAttribute('aria-label', 'Play');
  }

  // ---- sharing ----------------------------------------------------------------------------------------

  async share() {
    const hash = await toHash(this.state);
    if (this.element.isConnected && !this.keepsAddress && location.hash !== hash) history.replaceState(null, '', hash);
  }

  // ---- controls ---------------------------------------------------------------------------------------

  private changed(path: string, value: Value | undefined, run: RunChoice | null = null) {
    const changes = run ? run.set : this.state.set;
    if (value === undefined) delete changes[path];
    else changes[path] = value;
    this.state.time = null;
    void this.run();
  }

  private systemChoice(all: Cards): HTMLElement {
    const systems = all.systems.filter((each) => each.system !== 'inclusion').map((each) => ({ value: `system:${each.system}`, label: words(each.system), group: 'Systems' }));
    const files = Object.keys(examples)
      .filter((each) => !each.includes('/'))
      .map((each) => ({ value: `example:${each}`, label: words(each), group: 'Examples' }));
    const options = [...systems, ...files];
    if (!options.some((each) => each.value === this.state.from)) {
      const opened = this.state.from === 'text' ? 'your own text' : this.state.from.replace(/^experiment:/, '').slice(0, 80);
      options.unshift({ value: this.state.from, label: opened || 'choose one', group: 'Opened' });
    }
    return choiceControl('system', '', options, this.state.from, (value) => {
      location.hash = `#lab?from=${encodeURIComponent(value)}`;
    });
  }

  // Parts of the settings stay as they were left.
  private isOpen(part: string, otherwise: boolean): boolean {
    return this.controls.querySelector<HTMLDetailsElement>(`details[data-part="${part}"]`)?.open ?? otherwise;
  }

  private async buildControls() {
    const all = await cards();
    const part = (name: string, title: string, isOpen: boolean, ...content: (Node | Node[])[]) =>
      h('details', { 'data-part': name, open: this.isOpen(name, isOpen) }, h('summary', {}, title), ...content);
    const base = await this.documentOf({ base: this.state.runs[0]?.base ?? 0, model: '', set: {} });
    fill(
      this.controls,
      this.systemChoice(all),
      part('models', this.table ? `Compare ${words(this.table)}` : 'Runs', true, ...(await this.modelControls(all.models))),
      part('system', 'Mechanism', true, ...this.keyControls(base, (key) => key.table !== '' && key.kind !== 'input' && key.table !== this.table)),
      part('inputs', 'Inputs', false, ...this.inputControls(base, all.signals)),
      part('initial', 'Start', false, ...(await this.initialControls(base))),
      part('run', 'Run and method', false, ...this.runControls(base, all.methods)),
      part('equations', 'Equations', false, h('div', { class: 'equations', html: this.card.equations || '<p>Stated in the text.</p>' })),
    );
  }

  private async modelControls(models: ModelCard[]): Promise<Node[]> {
    const key = this.modelKeys().find((each) => each.key === this.table);
    const tables = this.modelKeys().map((each) => each.key);
    const rows: Node[] = [];
    if (tables.length > 1) {
      rows.push(
        choiceControl('compare', 'the table whose model differs between runs', tables.map((each) => ({ value: each, label: words(each) })), this.table, (value) => {
          this.state.table = this.table = value;
          this.state.runs = [{ base: 0, model: '', set: {} }];
          void this.rebuild();
        }),
      );
    }
    const families = key?.families ?? [];
    const fitting = models.filter((each) => families.includes(each.family));
    // What a system reads in [patch] is no key of its law there.
    const ofPatch = new Set(this.card.keys.filter((each) => each.table === 'patch').map((each) => each.key));
    for (const [i, run] of this.state.runs.entries()) {
      const document = await this.documentOf(run);
      const model = this.table ? String(get(document, `${this.table}.model`) ?? '') : '';
      const curve = String(get(document, `${this.table}.curve`) ?? '');
      const card = model ? await modelCard(model, curve) : null;
      const options = fitting.map((each) => ({ value: each.model, label: each.title, group: families.length > 1 ? words(each.family) : undefined }));
      if (model && !options.some((each) => each.value === model)) options.unshift({ value: model, label: card!.title, group: undefined });
      rows.push(
        h(
          'section',
          { class: 'run', style: `--run:${colourOf(i)}`, 'aria-label': `Run ${i + 1}` },
          h(
            'header',
            {},
            h('span', { class: 'swatch', 'aria-hidden': 'true' }),
            model
              ? choiceControl(`model ${i + 1}`, '', options, model, (value) => {
                  run.model = value;
                  for (const path of Object.keys(run.set)) if (path.startsWith(`${this.table}.`)) delete run.set[path];
                  void this.rebuild();
                }, `Model of run ${i + 1}`)
              : h('strong', {}, this.bases[run.base].label || `Run ${i + 1}`),
            this.state.runs.length > 1
              ? h('button', { class: 'quiet', 'aria-label': `Remove run ${i + 1}`, onclick: () => {
                  this.state.runs.splice(i, 1);
                  void this.rebuild();
                } }, '×')
              : '',
          ),
          card
            ? h(
                'details',
                { 'data-part': `run ${i + 1}`, open: this.isOpen(`run ${i + 1}`, i === 0) },
                h('summary', {}, 'Parameters'),
                card.curves.length
                  ? choiceControl('curve', 'Stribeck curve', card.curves.map((each) => ({ value: each, label: words(each.replace(/^stribeck_/, '')) })), curve || card.curve || '', (value) => {
                      run.set[`${this.table}.curve`] = value;
                      void this.rebuild();
                    })
                  : '',
                card.parameters.filter((each) => !ofPatch.has(each.name)).map((each) => {
                  const path = `${this.table}.${each.name}`;
                  const value = get(document, path) ?? (each.default as Value);
                  if (each.words) return choiceControl(each.name, each.meaning, each.words.map((word) => ({ value: word, label: words(word) })), String(value), (chosen) => this.changed(path, chosen, run));
                  if (typeof value !== 'number') return textControl(each.name, each.meaning, value, (chosen) => this.changed(path, chosen, run));
                  return numberControl({ ...each, whole: each.is_count }, value, (chosen) => this.changed(path, chosen, run));
                }),
                h('details', { class: 'card' }, h('summary', {}, 'Equations and source'), h('div', { class: 'equations', html: card.equations ?? '' }), h('p', {}, card.source), card.claims.length ? h('p', {}, `Tested: ${card.claims.join(', ')}.`) : ''),
              )
            : '',
        ),
      );
    }
    if (fitting.length && this.state.runs.length < mostRuns) {
      rows.push(
        h('button', { class: 'add', onclick: () => {
          const used = new Set(this.state.runs.map((each) => each.model));
          const taken = this.state.runs[this.state.runs.length - 1];
          const current = fitting.findIndex((each) => each.model === taken.model);
          const next = [...fitting.slice(current + 1), ...fitting].find((each) => !used.has(each.model)) ?? fitting[0];
          this.state.runs.push({ base: taken.base, model: next.model, set: {} });
          void this.rebuild();
        } }, '+ Compare another model'),
      );
    }
    return rows;
  }

  title(): string {
    return this.heading.textContent ?? '';
  }

  panelChoices() {
    return this.panels.map(({ x, y }) => ({ x, y }));
  }

  async rebuild() {
    await this.buildControls();
    await this.run();
  }

  private keyControls(base: Table, wanted: (key: Key) => boolean): Node[] {
    const nodes: Node[] = [];
    for (const key of this.card.keys.filter(wanted)) {
      const path = key.table ? `${key.table}.${key.key}` : key.key;
      if (key.key === 'kind') continue;
      const given = get(base, path);
      const node = this.keyControl(key, path, given);
      if (node) nodes.push(node);
    }
    return nodes.length ? nodes : [h('p', { class: 'none' }, 'Nothing to set.')];
  }

  private keyControl(key: Key, path: string, given: Value | undefined): Node | null {
    const quantity = { ...key, name: key.key };
    const otherwise = key.default ? Number(key.default) : NaN; // NaN where it is told in words
    if (key.kind === 'number' || key.kind === 'whole number') {
      const value = typeof given === 'number' ? given : otherwise;
      if (!Number.isFinite(value)) {
        // A key without a number by default: it may be left out.
        return textControl(key.key, key.meaning, given, (chosen) => this.changed(path, chosen), key.default);
      }
      return numberControl({ ...quantity, whole: key.kind === 'whole number' }, value, (chosen) => this.changed(path, chosen));
    }
    if (key.kind === 'true or false') return flagControl(key.key, key.meaning, given === undefined ? key.default === 'true' : given === true, (chosen) => this.changed(path, chosen));
    if (key.kind === 'word' && key.words) {
      return choiceControl(key.key, key.meaning, key.words.map((word) => ({ value: word, label: words(word) })), String(given ?? key.default ?? key.words[0]), (chosen) => this.changed(path, chosen));
    }
    if (key.kind === 'list of numbers' || key.kind === 'text') return textControl(key.key, key.meaning, given, (chosen) => this.changed(path, chosen));
    return null;
  }

  private inputControls(base: Table, signals: { signal: string; meaning: string; keys: Key[] }[]): Node[] {
    const nodes: Node[] = [];
    for (const key of this.card.keys.filter((each) => each.kind === 'input')) {
      const path = key.table ? `${key.table}.${key.key}` : key.key;
      const given = get(base, path);
      const kind = isTable(given) ? String(given.kind ?? '') : 'constant';
      const options = [{ value: 'constant', label: 'a constant' }, ...signals.filter((each) => each.signal !== 'constant').map((each) => ({ value: each.signal, label: words(each.signal) }))];
      const inside: Node[] = [];
      if (isTable(given)) {
        const signal = signals.find((each) => each.signal === kind);
        for (const each of signal?.keys ?? []) {
          const value = get(given, each.key);
          const node = this.keyControl({ ...each, unit: each.unit === '-' ? key.unit : each.unit }, `${path}.${each.key}`, value);
          if (node) inside.push(node);
        }
        if (signal) inside.push(h('p', { class: 'none' }, signal.meaning));
      } else {
        const value = typeof given === 'number' ? given : (parseFloat(key.default ?? '') || 0);
        inside.push(numberControl({ ...key, name: key.key }, value, (chosen) => this.changed(path, chosen)));
      }
      nodes.push(
        h(
          'fieldset',
          {},
          h('legend', {}, symbol(key.key), `: ${key.meaning}`),
          choiceControl(`kind of ${key.key}`, '', options, kind, (value) => {
            const start = isTable(given) ? undefined : given;
            const fresh: Table = { kind: value };
            for (const each of signals.find((one) => one.signal === value)?.keys ?? []) {
              if (each.required && each.kind === 'number') fresh[each.key] = each.key === 'amplitude' && typeof start === 'number' && start ? start : 1;
            }
            if (isTable(given) && given.of) fresh.of = given.of;
            this.state.set[path] = value === 'constant' ? 0 : fresh;
            void this.rebuild();
          }),
          ...inside,
        ),
      );
    }
    return nodes.length ? nodes : [h('p', { class: 'none' }, 'It has none.')];
  }

  // Where bodies start. States of models are left out: another model has others.
  private async initialControls(base: Table): Promise<Node[]> {
    const hidden: string[] = [];
    for (const each of Object.values(base)) {
      if (isTable(each) && typeof each.model === 'string') hidden.push(...(await modelCard(each.model)).states.map((state) => state.name));
    }
    const isBody = (name: string) => !hidden.some((each) => name === each || name.startsWith(`${each}_`) || name.endsWith(`_${each}`));
    return this.card.states.filter((each) => isBody(each.name)).slice(0, 12).map((each) => {
      const path = `initial.${each.name}`;
      const given = get(base, path);
      return numberControl({ name: each.name, unit: each.unit, meaning: 'at the start' }, typeof given === 'number' ? given : 0, (chosen) => this.changed(path, chosen));
    });
  }

  private runControls(base: Table, methods: { method: string; meaning: string; is_fixed: boolean; is_absent: boolean }[]): Node[] {
    const duration = get(base, 'run.duration');
    const method = String(get(base, 'integrator.method') ?? '');
    const fits = (name: string) => this.card.methods.find((each) => each.method === name)?.fits !== false;
    const options = [
      { value: '', label: 'chosen by the library' },
      ...methods.filter((each) => !each.is_absent && fits(each.method)).map((each) => ({ value: each.method, label: `${words(each.method)}: ${each.meaning}` })),
    ];
    const nodes: Node[] = [
      numberControl({ name: 'duration', unit: 's', meaning: 'duration of the run', minimum: 0, minimum_is_excluded: true }, typeof duration === 'number' ? duration : 1, (value) => this.changed('run.duration', value)),
      choiceControl('method', 'of integration', options, method, (value) => {
        const given = get(base, 'integrator');
        const old = isTable(given) ? given : {};
        const row = methods.find((each) => each.method === value);
        this.state.set.integrator = !value ? {} : row?.is_fixed ? { method: value, step: typeof old.step === 'number' ? old.step : 1e-4 } : { method: value };
        void this.rebuild();
      }),
    ];
    const step = get(base, 'integrator.step');
    if (typeof step === 'number') nodes.push(numberControl({ name: 'step', unit: 's', meaning: 'length of a fixed step', minimum: 0, minimum_is_excluded: true }, step, (value) => this.changed('integrator.step', value)));
    const tolerance = get(base, 'integrator.relative_tolerance');
    if (typeof step !== 'number') nodes.push(numberControl({ name: 'relative_tolerance', unit: '-', meaning: 'tolerance of adaptive methods', minimum: 0, minimum_is_excluded: true, maximum: 0.1 }, typeof tolerance === 'number' ? tolerance : 1e-6, (value) => this.changed('integrator.relative_tolerance', value)));
    return nodes;
  }

  // For the tests: the value of a column of a run at an instant.
  valueOf(run: number, column: string, time: number): number {
    const columns = this.shown[run]?.answer?.columns ?? [];
    const t = columnOf(columns, 't')?.values;
    const y = columnOf(columns, column)?.values;
    return t && y ? valueAt(t, y, time) : NaN;
  }
}
