import { FrameholdError } from '../../../model/errors.ts';

/** PostgreSQL's text of an array, such as `{a,"b c",NULL}`, as a list of DuckDB. Only arrays of one dimension. null if it is no array. */
export function listOfArray(text: string): string | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return null;
  const items: string[] = [];
  const end = trimmed.length - 1;
  for (let at = 1; at < end; ) {
    const item = readItem(trimmed, at, end);
    items.push(item.text);
    at = item.end + 1;
    if (at === end) throw malformed();
  }
  return `[${items.join(', ')}]`;
}

function readItem(text: string, start: number, end: number): { readonly text: string; readonly end: number } {
  let at = start;
  while (text[at] === ' ') at++;
  if (text[at] === '{') throw malformed();
  const isQuoted = text[at] === '"';
  if (isQuoted) at++;
  const characters: string[] = [];
  for (; at < end; at++) {
    const character = text[at] as string;
    if (character === '\\') characters.push(text[++at] ?? '');
    else if (isQuoted ? character === '"' : character === ',') break;
    else characters.push(character);
  }
  if (isQuoted) {
    if (at >= end) throw malformed();
    at++;
    while (text[at] === ' ') at++;
  }
  if (at < end && text[at] !== ',') throw malformed();
  const value = isQuoted ? characters.join('') : characters.join('').trim();
  if (!isQuoted && value === '') throw malformed();
  if (!isQuoted && value.toUpperCase() === 'NULL') return { text: 'NULL', end: at };
  return { text: `'${value.replaceAll("'", "''")}'`, end: at };
}

function malformed(): FrameholdError {
  return new FrameholdError('sql_invalid', 'The text of an array is malformed, or has several dimensions.', {
    hint: "Write it as '{a,b}' or as ARRAY['a', 'b'].",
    sqlState: '22P02',
  });
}
