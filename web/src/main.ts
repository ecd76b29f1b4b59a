// SPDX-License-Identifier: Apache-2.0
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { call } from './core';
import { h } from './dom';
import { claimsOf, Gallery } from './gallery';
import { Inclusions } from './inclusions';
import { Lab } from './lab';
import { lessonList, openLesson } from './lessons';
import { emptyState, fromHash } from './state';

const page = document.querySelector('main')!;
let lab: Lab | null = null;
let gallery: Gallery | null = null;
let inclusions: Inclusions | null = null;

// What a visitor without a link sees first.
const first = '#lab?from=example:stick_slip&run=0:&run=0:dai_stribeck&run=0:coulomb_viscous';

const pages: Record<string, string> = { lab: 'Lab', lessons: 'Lessons', gallery: 'Gallery', inclusion: 'Inclusions' };

// As it stands where it is not encoded as it should be: then nothing of that name is found.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let before = '';

async function route() {
  const hash = location.hash || '#lab';
  const [, name, rest] = /^#([a-z]+)(?:[/?](.*))?$/s.exec(hash) ?? ['', 'lab', ''];
  // Another page begins at its top; another system in the lab is chosen among settings that stay.
  if (before && (name !== 'lab' || before !== name)) {
    lab?.closeSheet();
    scrollTo(0, 0);
  }
  before = name;
  const tab = name === 'lesson' ? 'lessons' : name === 'experiment' ? 'gallery' : Object.hasOwn(pages, name) ? name : 'lab';
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    if (link.hash === `#${tab}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (name !== 'gallery') gallery?.leave();
  if (!['lab', 'lesson', 'experiment'].includes(name)) lab?.pause();
  document.title = `${pages[tab]} – Asperity`;
  if (name === 'gallery') {
    gallery ??= new Gallery();
    page.replaceChildren(gallery.element);
  } else if (name === 'lessons') {
    page.replaceChildren(lessonList());
  } else if (name === 'inclusion') {
    inclusions ??= new Inclusions();
    page.replaceChildren(inclusions.element);
  } else {
    lab ??= new Lab();
    page.replaceChildren(lab.element);
    lab.keepsAddress = name === 'lesson' || name === 'experiment';
    lab.lead.replaceChildren();
    if (name === 'lesson') {
      const [lesson, step] = (rest ?? '').split('/');
      await openLesson(lab, lesson, Number(step) || 1);
    } else if (name === 'experiment') {
      const id = decoded(rest ?? '');
      const claims = claimsOf(id);
      claims.catch(() => {}); // the lab says what is wrong
      await lab.open(emptyState(`experiment:${id}`));
      const found = await claims.catch(() => null);
      if (found && location.hash === hash) lab.tail.replaceChildren(found);
    } else {
      try {
        const state = (await fromHash(hash)) ?? (lab.shown.length && !rest ? null : await fromHash(first));
        if (state) await lab.open(state);
      } catch (problem) {
        lab.refuse(problem as Error);
      }
    }
  }
}

const themes = ['', 'light', 'dark'];
const theme = h('button', { class: 'quiet theme', title: 'Light or dark', 'aria-label': 'Light or dark', onclick: () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? '') + 1) % themes.length];
  setTheme(next);
} }, '◐');
function setTheme(name: string) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  try {
    localStorage.setItem('theme', name);
  } catch {
    // Storage may be closed to us; the choice then lasts as long as the page.
  }
  lab?.refresh();
}
document.querySelector('body > header')!.append(theme);
try {
  const kept = localStorage.getItem('theme');
  if (kept) setTheme(kept);
} catch {
  // As above.
}
// On paper everything is light, curves as well, and as wide as the paper is.
const root = document.documentElement;
let onScreen: string | undefined;
addEventListener('beforeprint', () => {
  onScreen = root.dataset.theme;
  root.dataset.theme = 'light';
  root.toggleAttribute('data-print', true);
  lab?.resize();
});
addEventListener('afterprint', () => {
  if (onScreen) root.dataset.theme = onScreen;
  else delete root.dataset.theme;
  root.removeAttribute('data-print');
  lab?.resize();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => lab?.refresh());

document.querySelector('.skip')!.addEventListener('click', (event) => {
  event.preventDefault(); // the address names what is shown
  page.focus();
});
for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault());

addEventListener('hashchange', () => void route());
void route();

// For the tests.
Object.assign(window, { asperity: { call, lab: () => lab } });
