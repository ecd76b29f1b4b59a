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

export function fill(element: Element, ...children: Child[]) {
  element.replaceChildren();
  children.forEach((each) => append(element, each));
}

export function download(name: string, content: Blob | string, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const wantsRest = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
