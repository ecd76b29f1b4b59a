// SPDX-License-Identifier: Apache-2.0

// Formulas of an inclusion, as the library writes them in text, made into MathML: a*b/(c + d), sgn(v), x'.
// What cannot be read so is shown as it is written.

import { symbolParts } from './names';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const row = (...parts: string[]) => `<mrow>${parts.join('')}</mrow>`;
const operator = (sign: string) => `<mo>${sign}</mo>`;

function named(name: string, primes: number, isFunction = false): string {
  const { head, index } = symbolParts(name);
  // Words and functions are upright, symbols slanted.
  const isWord = isFunction || [...head].length > 1;
  const base = `<mi${isWord ? ' mathvariant="normal"' : ''}>${escaped(head.replaceAll(' ', '\u00a0'))}</mi>`;
  const below = index && `<mi mathvariant="normal">${escaped(index)}</mi>`;
  const above = primes && operator('′'.repeat(primes));
  if (below && above) return `<msubsup>${base}${below}${above}</msubsup>`;
  if (below) return `<msub>${base}${below}</msub>`;
  return above ? `<msup>${base}${above}</msup>` : base;
}

class Reader {
  private at = 0;
  private readonly tokens: string[];

  constructor(text: string) {
    this.tokens = text.match(/\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z_]\w*'*|[-+*/^(),]|\S/g) ?? [];
  }

  private take(...wanted: string[]): string | null {
    return wanted.includes(this.tokens[this.at]) ? this.tokens[this.at++] : null;
  }

  private need(wanted: string) {
    if (!this.take(wanted)) throw new Error(`${wanted} is missing`);
  }

  whole(): string {
    const result = this.sum();
    if (this.at < this.tokens.length) throw new Error('more than a formula');
    return result;
  }

  private sum(): string {
    const parts = [this.product()];
    for (let sign; (sign = this.take('+', '-')); ) parts.push(operator(sign === '-' ? '−' : '+'), this.product());
    return parts.length > 1 ? row(...parts) : parts[0];
  }

  private product(): string {
    let left = this.signed();
    for (let sign; (sign = this.take('*', '/')); ) {
      const right = this.signed(sign === '/');
      left = sign === '/' ? `<mfrac>${bare(left)}${right}</mfrac>` : row(left, '<mspace width="0.2em"/>', right);
    }
    return left;
  }

  private signed(isBelow = false): string {
    if (this.take('-')) return row(operator('−'), this.signed(isBelow));
    const base = this.atom(isBelow);
    return this.take('^') ? `<msup>${base}${this.signed(true)}</msup>` : base;
  }

  private atom(isBelow: boolean): string {
    if (this.take('(')) {
      const inside = this.sum();
      this.need(')');
      // A bar or a raised place brackets by itself.
      return isBelow && this.tokens[this.at] !== '^' ? inside : row(operator('('), inside, operator(')'));
    }
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error('a number or a name is missing');
    if (/^[\d.]/.test(token)) {
      const [mantissa, exponent] = token.toLowerCase().split('e');
      if (exponent === undefined) return `<mn>${mantissa}</mn>`;
      const power = `<msup><mn>10</mn><mn>${Number(exponent)}</mn></msup>`;
      return mantissa === '1' ? power : row(`<mn>${mantissa}</mn>`, operator('·'), power);
    }
    const name = /^([A-Za-z_]\w*)('*)$/.exec(token);
    if (!name) throw new Error(`'${token}' is not known`);
    if (!this.take('(')) return named(name[1], name[2].length);
    const inside = [this.sum()];
    while (this.take(',')) inside.push(this.sum());
    this.need(')');
    if (name[1] === 'abs') return row(operator('|'), inside[0], operator('|'));
    if (name[1] === 'sqrt') return `<msqrt>${inside[0]}</msqrt>`;
    return row(named(name[1], name[2].length, true), operator('('), inside.join(operator(',')), operator(')'));
  }
}

// Without the brackets that a fraction makes needless.
const bare = (math: string) => {
  const found = /^<mrow><mo>\(<\/mo>(.*)<mo>\)<\/mo><\/mrow>$/s.exec(math);
  return found && !/<mo>\)<\/mo>.*<mo>\(<\/mo>/s.test(found[1]) ? found[1] : math;
};

export function formula(text: string): string {
  return new Reader(text).whole();
}

export function equation(left: string, relation: string, right: string): string {
  try {
    const sign = relation === 'in' ? '∈' : escaped(relation);
    return `<div class="equation"><math displaystyle="true">${formula(left)}<mo>${sign}</mo>${formula(right)}</math></div>`;
  } catch {
    return `<div class="equation"><code>${escaped(`${left} ${relation} ${right}`)}</code></div>`;
  }
}
