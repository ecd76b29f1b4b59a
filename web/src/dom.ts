// SPDX-License-Identifier: Apache-2.0

type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, unknown>;

function append(to: Element, child: Child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((each) => append(to, each));
  else to.append(child instanceof Node ? child : String(child));
}

// An element: attributes by name, listeners as onclick, properties of booleans as they are.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'html') element.innerHTML = value as string; // our own text or the library's
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  children.forEach((each) => append(element, each));
  return element;
}

const nameOf = (element: Element) => [element.tagName, (element as HTMLInputElement).type, element.getAttribute('aria-label') ?? (element as HTMLElement).dataset.name ?? element.textContent].join('|');
const reachable = 'a[href], button, input, select, textarea, summary, [tabindex]';

// Other content in place of the old one. Whoever was in it by keyboard stays where they were: on the element of
// the same name, the first or second of them as before, or else on the one at the same place.
export function fill(element: Element, ...children: Child[]) {
  const held = element.contains(document.activeElement) && element !== document.activeElement ? document.activeElement : null;
  const list = () => [...element.querySelectorAll<HTMLElement>(reachable)];
  const before = held ? list() : [];
  const name = held && nameOf(held);
  const place = before.indexOf(held as HTMLElement);
  const nth = before.slice(0, place).filter((each) => nameOf(each) === name).length;
  element.replaceChildren();
  children.forEach((each) => append(element, each));
  if (!held || place < 0) return;
  const after = list();
  const alike = after.filter((each) => nameOf(each) === name);
  (alike[nth] ?? alike.at(-1) ?? after[Math.min(place, after.length - 1)])?.focus({ preventScroll: true });
}

export function download(name: string, content: Blob | string, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const wantsRest = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
