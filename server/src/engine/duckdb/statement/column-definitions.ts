import { FrameholdError } from '../../../model/errors.ts';
import { lowerCase, nextToken, quoteName, type SqlToken } from '../sql-tokens.ts';
import { columnDefinitionsStart } from './statement-prefix.ts';

/** Words that end a type: what follows is a promise about values, which a frame cannot keep. */
const constraintWords = new Set([
  'NOT',
  'PRIMARY',
  'UNIQUE',
  'CHECK',
  'DEFAULT',
  'REFERENCES',
  'GENERATED',
  'AS',
  'COLLATE',
  'CONSTRAINT',
  'USING',
]);
/** Words that begin something else than a column. They are reserved: a column with such a name is quoted. */
const tableWords = new Set(['PRIMARY', 'FOREIGN', 'UNIQUE', 'CHECK', 'CONSTRAINT', 'LIKE']);

/**
 * `CREATE TABLE t (a INTEGER, b VARCHAR)` as `CREATE TABLE t AS` a query with these columns and no rows, so that it goes through the same checks and
 * types are the engine's. Null for other statements. What is inside of a type is read by the engine's parser: a type ends at a comma or a
 * parenthesis that was not opened in it, so it cannot end the cast that it is put into.
 */
export function queryOfDefinitions(sql: string): string | null {
  const start = columnDefinitionsStart(sql);
  if (start === null) return null;
  const reader = new DefinitionReader(sql, start);
  const columns = reader.columns();
  const casts = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`);
  return `${sql.slice(0, start)} AS SELECT ${casts.join(', ')} WHERE false`;
}

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
}

class DefinitionReader {
  readonly #sql: string;
  #token: SqlToken;

  constructor(sql: string, start: number) {
    this.#sql = sql;
    this.#token = nextToken(sql, start);
  }

  columns(): readonly ColumnDefinition[] {
    const columns: ColumnDefinition[] = [];
    const names = new Set<string>();
    do {
      this.#next();
      // A comma may be left behind the last one, as DuckDB has it.
      if (columns.length > 0 && this.#isMark(')')) break;
      const column = this.#column();
      const name = lowerCase(column.name);
      if (names.has(name))
        throw new FrameholdError('sql_invalid', `The column ${quoteName(column.name)} is named twice.`);
      names.add(name);
      columns.push(column);
    } while (this.#isMark(','));
    this.#next();
    if (this.#isWord('AS'))
      throw new FrameholdError('sql_refused', 'Columns of CREATE TABLE … AS are named in its query.', {
        hint: 'Write CREATE TABLE name AS SELECT a AS first_name, b AS second_name ….',
      });
    while (this.#isMark(';')) this.#next();
    if (this.#token.kind !== 'end')
      throw new FrameholdError('sql_refused', 'Nothing may follow the columns of CREATE TABLE.', {
        hint: 'Write CREATE TABLE name (column TYPE, …), one statement at a time.',
      });
    return columns;
  }

  #column(): ColumnDefinition {
    const { kind, text } = this.#token;
    if (kind === 'word' && tableWords.has(text.toUpperCase())) throw refused(text.toUpperCase());
    if (kind !== 'word' && kind !== 'quoted')
      throw new FrameholdError('sql_invalid', 'The name of a column is expected in CREATE TABLE.', {
        hint: 'Write CREATE TABLE name (column TYPE, …); names with other letters than A-Z, a-z, 0-9 and _ in double quotes.',
      });
    this.#next();
    const type = this.#type();
    if (type === '')
      throw new FrameholdError('sql_invalid', `The column ${quoteName(text)} has no type.`, {
        hint: 'Write CREATE TABLE name (column TYPE, …), or CREATE TABLE name AS SELECT ….',
      });
    return { name: text, type };
  }

  /** Up to the comma or parenthesis behind it. */
  #type(): string {
    const { start } = this.#token;
    let end = start;
    for (let depth = 0; ; this.#next()) {
      const { kind, text } = this.#token;
      if (kind === 'end')
        throw new FrameholdError('sql_invalid', 'The list of columns of CREATE TABLE does not end.');
      if (depth === 0 && kind === 'word' && constraintWords.has(text.toUpperCase()))
        throw refused(text.toUpperCase());
      // `a INTEGER NULL` says what is so anyway.
      if (depth === 0 && this.#isWord('NULL') && end > start) continue;
      if (kind === 'mark' && text === ';')
        throw new FrameholdError('sql_invalid', 'A column ends with a comma, not with a semicolon.');
      if (kind === 'mark' && text === '(') depth++;
      if (depth === 0 && (this.#isMark(',') || this.#isMark(')'))) return this.#sql.slice(start, end).trim();
      if (kind === 'mark' && text === ')') depth--;
      end = this.#token.end;
    }
  }

  #isMark(mark: string): boolean {
    return this.#token.kind === 'mark' && this.#token.text === mark;
  }

  #isWord(word: string): boolean {
    return this.#token.kind === 'word' && this.#token.text.toUpperCase() === word;
  }

  #next(): void {
    this.#token = nextToken(this.#sql, this.#token.end);
  }
}

function refused(word: string): FrameholdError {
  if (word === 'LIKE')
    return new FrameholdError('sql_refused', 'CREATE TABLE … (LIKE …) is not offered.', {
      hint: 'Write CREATE TABLE name AS FROM other WHERE false.',
    });
  const what = word === 'NOT' ? 'NOT NULL' : word;
  return new FrameholdError(
    'sql_refused',
    `${what} is not offered in CREATE TABLE: a frame has columns and types, and no rules for values that are added later.`,
    {
      hint: 'Leave it out: CREATE TABLE name (id INTEGER, price DECIMAL(18, 4)). Give values in INSERT, and check them in a query.',
    },
  );
}
