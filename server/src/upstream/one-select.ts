import { FrameholdError } from '../model/errors.ts';

/**
 * The text of one SELECT, so that it can be put in parentheses: comments become blanks, so that positions stay, and a semicolon at the end goes.
 * Anything else is refused here and not left to the database: QuestDB 9.3.4 runs some statements (RENAME TABLE, CHECKPOINT) while it looks at
 * them, before its /exp answers that it takes only SELECT. Its parser is not here, but in parentheses only a SELECT means anything to it; what
 * must hold is that nothing leaves them.
 */
export function oneSelect(query: string): string {
  const text = withoutComments(query).trimEnd();
  const select = text.endsWith(';') ? text.slice(0, -1).trimEnd() : text;
  let depth = 0;
  let firstWord: string | null = null;
  for (const { text: token, index } of tokens(select)) {
    if (token === "'" || token === '"') throw refused(`a quote is not closed at position ${index}`);
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (token === ';') throw refused(`there is a second statement at position ${index}`);
    else firstWord ??= token.toLowerCase();
    if (depth < 0) throw refused(`a parenthesis closes at position ${index} that was never opened`);
  }
  if (depth > 0) throw refused('a parenthesis is not closed');
  if (firstWord !== 'select' && firstWord !== 'with') {
    throw refused(
      firstWord === null
        ? 'there is no statement in it'
        : `it begins with ${JSON.stringify(firstWord.slice(0, 40))}`,
    );
  }
  return select;
}

/**
 * A string, a quoted name, a comment of either kind, a word, or any other character that is no blank. A comment that is not closed goes to the
 * end: to look for its end from each of many beginnings would take seconds.
 */
const tokenPattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\p{L}\p{N}_@$]+|\S/gu;

interface Token {
  readonly text: string;
  readonly index: number;
}

function tokens(text: string): Token[] {
  return Array.from(text.matchAll(tokenPattern), (match) => ({ text: match[0], index: match.index }));
}

function withoutComments(query: string): string {
  let out = '';
  let end = 0;
  for (const { text, index } of tokens(query)) {
    if (!text.startsWith('--') && !text.startsWith('/*')) continue;
    if (text.startsWith('/*') && (text.length < 4 || !text.endsWith('*/')))
      throw refused(`a comment is not closed at position ${index}`);
    // Two readers may disagree about these, and what one takes for a comment the other would run.
    if (text.startsWith('/*') && text.includes('/*', 2))
      throw refused(`a comment is inside a comment at position ${index}`);
    out += query.slice(end, index) + text.replace(/[^\n]/g, ' ');
    end = index + text.length;
  }
  return out + query.slice(end);
}

function refused(why: string): FrameholdError {
  return new FrameholdError(
    'sql_refused',
    `The text of tsdb() must be one SELECT of the external database, and ${why}.`,
    { hint: "Give one query that begins with SELECT or WITH, for example tsdb('select * from trades')." },
  );
}
