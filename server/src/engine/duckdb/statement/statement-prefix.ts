import { FrameholdError } from '../../../model/errors.ts';
import type { StatementShape, StatementTarget } from '../../../ports/engine.ts';
import { lowerCase, nextToken, type SqlToken } from '../sql-tokens.ts';

/** What a statement does with the rows of its query, and where the text of that query begins. */
export interface StatementPrefix {
  readonly kind: StatementShape['kind'];
  readonly target: StatementTarget | null;
  /** Where the query begins; null for DROP TABLE and COMMENT ON, which have none. */
  readonly queryStart: number | null;
  readonly explain: ExplainOptions | null;
}

interface ExplainOptions {
  readonly analyze: boolean;
  readonly json: boolean;
}

const query: StatementPrefix = { kind: 'query', target: null, queryStart: 0, explain: null };

/**
 * Reads the beginning of a statement. Only what is understood in full is parsed here; everything else is passed on as a query, which the engine's
 * parser then rejects.
 */
export function parsePrefix(sql: string): StatementPrefix {
  const words = new Words(sql);
  if (words.take('EXPLAIN')) return explain(words);
  if (words.take('CREATE')) return create(words) ?? query;
  if (words.take('INSERT')) return insert(words) ?? query;
  if (words.take('DROP')) return drop(words) ?? query;
  if (words.take('COMMENT')) return comment(words) ?? query;
  return query;
}

function explain(words: Words): StatementPrefix {
  let analyze = false;
  let json = false;
  const option = (): boolean => {
    if (words.take('ANALYZE')) {
      analyze = true;
      return true;
    }
    if (!words.take('FORMAT')) return false;
    if (words.take('JSON')) {
      json = true;
      return true;
    }
    return words.take('TEXT');
  };
  const before = words.position;
  if (words.takeMark('(')) {
    // EXPLAIN (ANALYZE, FORMAT JSON) SELECT …, but also EXPLAIN (SELECT …).
    let isList = option();
    while (isList && words.takeMark(',')) isList = option();
    if (!isList || !words.takeMark(')')) words.position = before;
  } else if (words.take('ANALYZE')) analyze = true;
  return { kind: 'explain', target: null, queryStart: words.position, explain: { analyze, json } };
}

function create(words: Words): StatementPrefix | null {
  const target = createdTable(words);
  if (target === null || !words.take('AS')) return null;
  return { kind: 'create', target, queryStart: words.position, explain: null };
}

/** Up to the name of the table. */
function createdTable(words: Words): StatementTarget | null {
  const orReplace = words.take('OR');
  if (orReplace && !words.take('REPLACE')) return null;
  if (!words.take('TABLE')) return null;
  const conditional = words.take('IF');
  if (conditional && !(words.take('NOT') && words.take('EXISTS'))) return null;
  const name = words.tableName();
  return name === null ? null : { ...targetOf(name), orReplace, conditional };
}

/** Where the parenthesis of `CREATE TABLE name (` is; null if the statement is another one. */
export function columnDefinitionsStart(sql: string): number | null {
  const words = new Words(sql);
  if (!words.take('CREATE') || createdTable(words) === null) return null;
  const { position } = words;
  return words.takeMark('(') ? position : null;
}

function insert(words: Words): StatementPrefix | null {
  if (!words.take('INTO')) return null;
  const name = words.tableName();
  if (name === null) return null;
  const columns = words.columnList();
  let byName = false;
  if (words.take('BY')) {
    byName = words.take('NAME');
    if (!byName && !words.take('POSITION')) return null;
  }
  return {
    kind: 'insert',
    target: { ...targetOf(name), columns, byName },
    queryStart: words.position,
    explain: null,
  };
}

function drop(words: Words): StatementPrefix | null {
  if (!words.take('TABLE')) return null;
  const conditional = words.take('IF');
  if (conditional && !words.take('EXISTS')) return null;
  const name = words.tableName();
  if (name === null) return null;
  if (!words.takeEnd()) return null;
  return { kind: 'drop', target: { ...targetOf(name), conditional }, queryStart: null, explain: null };
}

function comment(words: Words): StatementPrefix | null {
  if (!words.take('ON')) return null;
  const isOfColumn = words.take('COLUMN');
  if (!isOfColumn && !words.take('TABLE')) return null;
  const found = isOfColumn ? words.columnName() : { table: words.tableName(), column: null };
  if (found === null || found.table === null || !words.take('IS')) return null;
  const text = words.take('NULL') ? null : words.text();
  if (text === undefined || !words.takeEnd()) return null;
  const target = {
    ...targetOf(found.table),
    comment: { column: found.column, text: text === '' ? null : text },
  };
  return { kind: 'comment', target, queryStart: null, explain: null };
}

function targetOf(name: string): StatementTarget {
  return { name, orReplace: false, conditional: false, columns: null, byName: false };
}

/** Reads words one after the other; what is not there is not taken. */
class Words {
  readonly #sql: string;
  position = 0;

  constructor(sql: string) {
    this.#sql = sql;
  }

  take(word: string): boolean {
    const token = this.#peek();
    return token.kind === 'word' && token.text.toUpperCase() === word && this.#accept(token);
  }

  takeMark(mark: string): boolean {
    const token = this.#peek();
    return token.kind === 'mark' && token.text === mark && this.#accept(token);
  }

  /** Behind any semicolons. */
  takeEnd(): boolean {
    while (this.takeMark(';'));
    return this.#peek().kind === 'end';
  }

  /** `name`, `main.name`, `framehold.name` or `framehold.main.name`. */
  tableName(): string | null {
    const parts = this.#path();
    return parts === null ? null : tableOf(parts);
  }

  /** The same, and the name of a column behind it. */
  columnName(): { readonly table: string; readonly column: string } | null {
    const parts = this.#path();
    const column = parts?.pop();
    return parts === null || column === undefined || parts.length === 0
      ? null
      : { table: tableOf(parts), column };
  }

  /** `'text'` or `$$text$$`; undefined, and nothing taken, if it is anything else. */
  text(): string | undefined {
    const token = this.#peek();
    if (token.kind !== 'string') return undefined;
    const written = this.#sql.slice(token.start, token.end);
    const quote = /^(?:'|\$[^$]*\$)/.exec(written)?.[0];
    if (quote === undefined || written.length < 2 * quote.length || !written.endsWith(quote))
      return undefined;
    const inside = written.slice(quote.length, -quote.length);
    const text = quote === "'" ? inside.replaceAll("''", "'") : inside;
    // One that is not closed may end with a doubled quote.
    if (quote === "'" && inside.replaceAll("''", '').includes("'")) return undefined;
    this.#accept(token);
    return text;
  }

  /** Names with dots between them. */
  #path(): string[] | null {
    const parts: string[] = [];
    do {
      const part = this.#name();
      if (part === null) return null;
      parts.push(part);
    } while (this.takeMark('.'));
    return parts;
  }

  /** `(a, b)`; null, and nothing taken, if it is not a list of names: a query in parentheses may follow. */
  columnList(): readonly string[] | null {
    const before = this.position;
    const names: string[] = [];
    if (!this.takeMark('(')) return null;
    do {
      const name = this.#name();
      if (name === null) break;
      names.push(name);
    } while (this.takeMark(','));
    if (names.length > 0 && this.takeMark(')')) return names;
    this.position = before;
    return null;
  }

  #name(): string | null {
    const token = this.#peek();
    if (token.kind !== 'word' && token.kind !== 'quoted') return null;
    return this.#accept(token) ? token.text : null;
  }

  #peek(): SqlToken {
    return nextToken(this.#sql, this.position);
  }

  #accept(token: SqlToken): boolean {
    this.position = token.end;
    return true;
  }
}

function tableOf(path: readonly string[]): string {
  const where = path.slice(0, -1);
  if (!['', 'main', 'framehold', 'framehold.main'].includes(where.map(lowerCase).join('.')))
    throw new FrameholdError('sql_refused', `Nothing can be written to ${where.join('.')}.`, {
      hint: 'Frames are in framehold.main; everything else is only read.',
    });
  return path.at(-1) as string;
}
