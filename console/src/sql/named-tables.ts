import { tokenAt } from './tokens.ts';

export interface NamedTable {
  /** Without quotes. */
  readonly name: string;
  /** What its columns are written behind: its alias, or its name. */
  readonly alias: string;
}

/** Behind these words a table is named. */
const before = new Set(['FROM', 'JOIN', 'INTO', 'TABLE', 'DESCRIBE', 'SUMMARIZE']);
/** These words follow a table's name and are no alias. */
const notAliases = new Set(
  (
    'WHERE GROUP ORDER LIMIT OFFSET HAVING QUALIFY WINDOW UNION EXCEPT INTERSECT JOIN INNER LEFT RIGHT FULL CROSS NATURAL ASOF POSITIONAL ' +
    'SEMI ANTI ON USING SELECT FROM VALUES SET SAMPLE TABLESAMPLE PIVOT UNPIVOT BY'
  ).split(' '),
);
/** A statement that names more is completed with the columns of the first. */
const tablesMax = 20;

/** The tables that a statement names, found without parsing it: it is being typed, and rarely complete. */
export function namedTables(statement: string): NamedTable[] {
  const tables: NamedTable[] = [];
  let expects: 'name' | 'alias' | null = null;
  let name = '';
  const add = (alias: string) => {
    if (name !== '') tables.push({ name, alias });
    name = '';
  };
  for (let at = 0; at < statement.length && tables.length < tablesMax; ) {
    const { kind, from, to } = tokenAt(statement, at);
    at = to;
    if (kind === 'space' || kind === 'comment') continue;
    const text = statement.slice(from, to);
    const upper = kind === 'word' ? text.toUpperCase() : '';
    if (expects === 'name' && (kind === 'name' || kind === 'word') && !before.has(upper)) {
      name = kind === 'name' ? unquoted(text) : text;
      expects = 'alias';
      continue;
    }
    if (expects === 'alias') {
      if (upper === 'AS') continue;
      if (text === '.') {
        // What came was a catalog or a schema.
        name = '';
        expects = 'name';
        continue;
      }
      if ((kind === 'word' && !notAliases.has(upper)) || kind === 'name') {
        add(kind === 'name' ? unquoted(text) : text);
        expects = null;
        continue;
      }
      add(name);
      if (text === ',') {
        expects = 'name';
        continue;
      }
    }
    expects = before.has(upper) ? 'name' : null;
  }
  add(name);
  return tables;
}

export function unquoted(name: string): string {
  return name.slice(1, name.endsWith('"') && name.length > 1 ? -1 : undefined).replaceAll('""', '"');
}
