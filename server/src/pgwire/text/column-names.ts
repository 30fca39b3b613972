import { constants, expressionName, folded, nameOfQuoted } from './expression-name.ts';
import { type MatchedWord, matchedWords, outerWords, type Span } from './matched-words.ts';
import { selectList } from './select-list.ts';

/** Longer texts keep the engine's names: they are lists of values, and reading them word by word would hold up everybody else. */
const textCharactersMax = 32_000;

/** A name that PostgreSQL would give as well, however it was written. */
const plainName = /^[a-z_][a-z0-9_]*$/;

/**
 * What PostgreSQL would call the columns of a query for which the engine has these names. The engine names a column after its text if nobody has named it, and keeps
 * the case of an alias; PostgreSQL names it after its function or type, and an alias without quotes is in lower case.
 */
export function columnNames(text: string, engineNames: readonly string[]): readonly string[] {
  const isValues = engineNames[0] === 'col0';
  const areSame = !isValues && engineNames.every((name) => plainName.test(name));
  if (areSame || text.length > textCharactersMax) return engineNames;
  const words = matchedWords(text);
  if (words[0]?.keyword === 'VALUES') return engineNames.map((_, index) => `column${index + 1}`);
  const list = selectList(words, { from: 0, to: words.length });
  if (list === null) return engineNames;
  const firstOfMany = list.findIndex((item) => isMany(words, item));
  if (firstOfMany === -1 && list.length !== engineNames.length) return engineNames;
  const before = firstOfMany === -1 ? list.length : firstOfMany;
  const behind = list.length - 1 - list.findLastIndex((item) => isMany(words, item));
  const after = firstOfMany === -1 ? 0 : behind;
  return engineNames.map((name, index) => {
    const fromEnd = engineNames.length - index;
    const item = index < before ? list[index] : fromEnd <= after ? list[list.length - fromEnd] : undefined;
    return item === undefined ? name : nameOf(words, item, name);
  });
}

/** Whether an item of the list may be several columns: `*`, `t.*`, `COLUMNS(…)`, and `unnest` of a struct. */
function isMany(words: readonly MatchedWord[], item: Span): boolean {
  if (words[item.from]?.keyword === '*' || words[item.from]?.keyword === 'UNNEST') return true;
  for (const at of outerWords(words, item)) {
    if (words[at]?.keyword === 'COLUMNS') return true;
    if (words[at]?.keyword === '*' && words[at - 1]?.keyword === '.') return true;
  }
  return false;
}

function nameOf(words: readonly MatchedWord[], item: Span, engineName: string): string {
  const first = words[item.from] as MatchedWord;
  const last = words[item.to - 1] as MatchedWord;
  const isOne = item.to - item.from === 1;
  if (isOne && first.kind === 'word' && !constants.has(first.keyword)) {
    // The column as the frame has it, in the frame's case; but current_timestamp is a function of another name.
    return first.text.toLowerCase() === engineName.toLowerCase() ? engineName : folded(first.text);
  }
  if (isOne && first.kind === 'quoted') return engineName;
  if (isChain(words, item)) return engineName;
  // The engine has the alias as it was written.
  if (!isOne && words[item.to - 2]?.keyword !== '.') {
    if (last.kind === 'word' && last.text === engineName) return folded(engineName);
    if (last.kind === 'quoted' && nameOfQuoted(last.text) === engineName) return engineName;
    if (last.kind === 'string' && words[item.to - 2]?.keyword === 'AS') return engineName;
  }
  const isNamedFirst = words[item.from + 1]?.keyword === ':' && words[item.from + 2]?.keyword !== ':';
  if (isNamedFirst) return first.kind === 'word' ? folded(first.text) : engineName;
  return expressionName(words, item) ?? '?column?';
}

/** `table.column`, with or without schema. */
function isChain(words: readonly MatchedWord[], { from, to }: Span): boolean {
  if ((to - from) % 2 === 0) return false;
  for (let at = from; at < to; at++) {
    const { kind, keyword } = words[at] as MatchedWord;
    const isRight = (at - from) % 2 === 1 ? keyword === '.' : kind === 'word' || kind === 'quoted';
    if (!isRight) return false;
  }
  return to - from > 1;
}
