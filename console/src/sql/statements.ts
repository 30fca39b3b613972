import { tokenAt } from './tokens.ts';

export interface Statement {
  /** Of its first and behind its last token, without leading comments and the semicolon. */
  readonly from: number;
  readonly to: number;
  /** Behind its semicolon, or the end of the text. */
  readonly end: number;
  /** `$1`, `$name` and `?`, in the order of their first occurrence. A `?` is listed as the number that it stands for. */
  readonly parameters: readonly string[];
}

/** A form with more fields than that helps nobody. */
const parametersMax = 100;

/** Where the statements of a text begin and end. */
export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let from = -1;
  let to = -1;
  let parameters = new Set<string>();
  let questionMarks = 0;
  const finish = (end: number) => {
    if (from >= 0) statements.push({ from, to, end, parameters: [...parameters] });
    from = -1;
    parameters = new Set();
    questionMarks = 0;
  };
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    at = token.to;
    if (token.kind === 'space' || token.kind === 'comment') continue;
    if (text[token.from] === ';') {
      finish(token.to);
      continue;
    }
    if (from < 0) from = token.from;
    to = token.to;
    if (token.kind === 'parameter' && parameters.size < parametersMax) {
      const name = text.slice(token.from + 1, token.to);
      parameters.add(name === '' ? `${++questionMarks}` : name);
    }
  }
  finish(text.length);
  return statements;
}

/**
 * The statement that a person means whose cursor is there: the one around it; or else the one that ends on the same line before it; or else
 * the next one; or else the last.
 */
export function statementAt(
  text: string,
  cursor: number,
  statements = splitStatements(text),
): Statement | null {
  let before: Statement | null = null;
  for (const statement of statements) {
    if (cursor < statement.from) {
      const isSameLine = before !== null && !text.slice(before.end, cursor).includes('\n');
      return isSameLine ? before : statement;
    }
    if (cursor <= statement.to || cursor < statement.end) return statement;
    before = statement;
  }
  return before;
}

/** The first word in capitals: `SELECT`, `CREATE`, … */
export function leadingKeyword(text: string): string {
  for (let at = 0; at < text.length; ) {
    const { kind, from, to } = tokenAt(text, at);
    if (kind === 'word') return text.slice(from, to).toUpperCase();
    if (kind !== 'space' && kind !== 'comment' && text[from] !== '(') return '';
    at = to;
  }
  return '';
}
