// SPDX-License-Identifier: Apache-2.0

// Names of parameters and columns as they are printed: sigma_0 becomes a Greek letter with an index.

const greek: Record<string, string> = {
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', iota: 'ι',
  kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', upsilon: 'υ',
  phi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Xi: 'Ξ', Pi: 'Π',
  Sigma: 'Σ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω',
};
const lowered: Record<string, string> = {
  '0': '₀', '1': '₁', '2': '₂', '3': '₃', '4': '₄', '5': '₅', '6': '₆', '7': '₇', '8': '₈', '9': '₉',
  a: 'ₐ', e: 'ₑ', i: 'ᵢ', j: 'ⱼ', m: 'ₘ', n: 'ₙ', o: 'ₒ', p: 'ₚ', r: 'ᵣ', s: 'ₛ', t: 'ₜ', u: 'ᵤ', v: 'ᵥ', x: 'ₓ',
};

const letter = (word: string) => (Object.hasOwn(greek, word) ? greek[word] : word);
// A symbol is short, or Greek, or has an index; other names are words.
const isSymbol = (head: string) => (head.length <= 2 && head !== 'of') || Object.hasOwn(greek, head);

export function symbolParts(name: string): { head: string; index: string; isSymbol: boolean } {
  const [head, ...rest] = name.split('_');
  if (!isSymbol(head)) return { head: name.replaceAll('_', ' '), index: '', isSymbol: false };
  const dotted = rest[0] === 'dot' ? '̇' : rest[0] === 'ddot' ? '̈' : '';
  const index = (dotted ? rest.slice(1) : rest).map(letter).join(' ');
  return { head: letter(head) + dotted, index, isSymbol: true };
}

export function symbol(name: string): HTMLElement {
  const { head, index, isSymbol } = symbolParts(name);
  const element = document.createElement(isSymbol ? 'var' : 'span');
  element.append(head);
  if (index) {
    const sub = document.createElement('sub');
    sub.append(index);
    element.append(sub);
  }
  return element;
}

// The same in plain text, for canvases and labels.
export function symbolText(name: string): string {
  const { head, index } = symbolParts(name);
  if (!index) return head;
  const small = [...index].map((each) => lowered[each] ?? '');
  return small.every(Boolean) ? head + small.join('') : `${head}_${index}`;
}

export const words = (name: string) => name.replaceAll('_', ' ');

export function unitText(unit: string): string {
  return unit === '-' ? '' : unit.replace(/\^2\b/g, '²').replace(/\^3\b/g, '³').replace(/ /g, '\u202f');
}

export function withUnit(name: string, unit: string): string {
  const text = unitText(unit);
  return symbolText(name) + (text ? ` [${text}]` : '');
}

// Four figures, without a tail of noughts.
export function number(value: number, figures = 4): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(figures - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(figures)));
}
