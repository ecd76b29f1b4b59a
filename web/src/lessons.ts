// SPDX-License-Identifier: Apache-2.0

// Lessons: a question, and a few steps through the lab. They are files in web/lessons.

import { fill, h } from './dom';
import type { Lab } from './lab';
import { symbol } from './names';
import { fromHash } from './state';

interface Step {
  text: string;
  look: string;
  lab: string; // the address of what the step shows
}
interface Lesson {
  title: string;
  answer: string;
  steps: Step[];
}

const files = import.meta.glob<Lesson>('../lessons/*.json', { eager: true, import: 'default' });
export const lessons = new Map(Object.entries(files).sort().map(([file, lesson]) => [file.replace(/^.*\/\d*_?|\.json$/g, ''), lesson]));

// A text with the symbols in it as they are printed.
function told(text: string): (Node | string)[] {
  return text.split(/\b([A-Za-z]_[a-z0-9]+|alpha|beta|mu)\b/).map((each, i) => (i % 2 ? symbol(each) : each));
}

export function lessonList(): HTMLElement {
  return h(
    'div',
    { class: 'lessons' },
    h('h1', {}, 'Lessons'),
    h('p', { class: 'about' }, 'A question each, and a few steps. Everything in a step can be changed: that is the lesson.'),
    h('ol', { class: 'wall' }, [...lessons].map(([name, lesson]) => h('li', {}, h('a', { class: 'tile', href: `#lesson/${name}/1` }, h('strong', {}, lesson.title), h('small', {}, told(lesson.answer)), h('small', { class: 'count' }, `${lesson.steps.length} steps`))))),
  );
}

export async function openLesson(lab: Lab, name: string, number: number) {
  const lesson = lessons.get(name);
  const step = lesson?.steps[number - 1];
  if (!lesson || !step) {
    location.hash = '#lessons';
    return;
  }
  const box = h('section', { class: 'lesson', 'aria-label': `Lesson: ${lesson.title}` });
  fill(
    box,
    h('p', { class: 'count' }, h('a', { href: '#lessons' }, 'Lessons'), ` · ${lesson.title} · step ${number} of ${lesson.steps.length}`),
    h('p', {}, told(step.text)),
    h('p', { class: 'look' }, told(step.look)),
    h(
      'p',
      { class: 'buttons' },
      number > 1 ? h('a', { class: 'button', href: `#lesson/${name}/${number - 1}` }, 'Back') : '',
      number < lesson.steps.length ? h('a', { class: 'button strong', href: `#lesson/${name}/${number + 1}` }, 'Next') : h('a', { class: 'button strong', href: '#lessons' }, 'Done'),
    ),
  );
  lab.lead.replaceChildren(box);
  const state = await fromHash(step.lab);
  if (state) await lab.open(state);
}
