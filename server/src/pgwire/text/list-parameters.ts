import { nextToken, type Token } from './tokens.ts';

/** `= ANY ($1)` and `<> ALL ($1)` of a text, for parameters without a stated type. */
export interface ListParameters {
  /** `$1` is 1. */
  readonly numbers: readonly number[];
  /** The same text with `IN ($1)` in their place: there the engine finds out the type of one value, and it never does of a list. */
  readonly textOfValues: string;
}

const equal = new Map([
  ['=ANY', 'IN'],
  ['=SOME', 'IN'],
  ['<>ALL', 'NOT IN'],
  ['!=ALL', 'NOT IN'],
]);

/** null: there are none. `types`: what the client has stated; 0: nothing. */
export function listParameters(text: string, types: readonly number[]): ListParameters | null {
  const numbers = new Set<number>();
  let replaced = '';
  let copied = 0;
  let last: readonly Token[] = [];
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    last = [...last.slice(-5), token];
    const found = listAt(text, last);
    if (found === null || (types[found.number - 1] ?? 0) !== 0) continue;
    numbers.add(found.number);
    replaced += text.slice(copied, found.start) + found.text;
    copied = token.end;
  }
  return numbers.size === 0 ? null : { numbers: [...numbers], textOfValues: replaced + text.slice(copied) };
}

function listAt(
  text: string,
  last: readonly Token[],
): { readonly number: number; readonly start: number; readonly text: string } | null {
  const written = last.map(({ start, end }) => text.slice(start, end));
  if (written.at(-1) !== ')' || written.at(-3) !== '(' || last.at(-2)?.kind !== 'parameter') return null;
  const parameter = written.at(-2) ?? '';
  const number = Number(parameter.slice(1));
  if (!Number.isInteger(number)) return null;
  const word = written.at(-4)?.toUpperCase() ?? '';
  for (const signs of [1, 2]) {
    const start = last.at(-4 - signs)?.start;
    const operator = equal.get(`${written.slice(-4 - signs, -4).join('')}${word}`);
    if (operator !== undefined && start !== undefined)
      return { number, start, text: ` ${operator} (${parameter})` };
  }
  return null;
}
