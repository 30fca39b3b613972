import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../../arrow/field.ts';
import { columnNotesOf } from '../../../model/notes.ts';
import { catalogNames, frameCatalog, frameSchema } from '../../../model/sql-names.ts';
import { type CatalogFrame, type CatalogView, catalogViews } from '../../../ports/engine.ts';
import { nextToken, quoteName } from '../sql-tokens.ts';
import { readingOf } from '../types/readable-types.ts';
import { columnNames, schemaOf } from './table-view.ts';

/** One `information_schema.tables` in a statement. */
export interface CatalogReference {
  readonly view: CatalogView;
  /** In bytes of the text as UTF-8. */
  readonly location: number;
  readonly hasAlias: boolean;
}

/** The table that replaces a view. No frame has a name with a space. */
export function catalogTable(view: CatalogView): string {
  return `information schema:${view}`;
}

export function catalogViewOf(name: string): CatalogView | null {
  return catalogViews.find((view) => view === name) ?? null;
}

/** SHOW statements as queries over the views, with the columns that DuckDB gives for them. */
const shown: Readonly<Record<string, string>> = {
  'SHOW TABLES': 'SELECT table_name AS name FROM information_schema.tables ORDER BY name',
  'SHOW ALL TABLES':
    'SELECT table_catalog AS database, table_schema AS schema, table_name AS name, list(column_name ORDER BY ordinal_position) AS column_names, ' +
    'list(data_type ORDER BY ordinal_position) AS column_types, false AS temporary FROM information_schema.columns GROUP BY ALL ORDER BY name',
  'SHOW SCHEMAS':
    'SELECT catalog_name AS database_name, schema_name FROM information_schema.schemata ORDER BY ALL',
  'SHOW DATABASES':
    'SELECT DISTINCT catalog_name AS database_name FROM information_schema.schemata ORDER BY ALL',
};

/** The query that a SHOW statement means; null for any other statement. */
export function queryOfShow(sql: string): string | null {
  const words: string[] = [];
  let position = 0;
  let token = nextToken(sql, position);
  for (; token.kind === 'word' && words.length < 4; token = nextToken(sql, position)) {
    words.push(token.text.toUpperCase());
    position = token.end;
  }
  while (token.kind === 'mark' && token.text === ';') token = nextToken(sql, token.end);
  const query = Object.hasOwn(shown, words.join(' ')) ? shown[words.join(' ')] : undefined;
  return token.kind === 'end' ? (query ?? null) : null;
}

type Row = Readonly<Record<string, string | number | null>>;

const columnsOfViews: Readonly<Record<CatalogView, Readonly<Record<string, 'VARCHAR' | 'INTEGER'>>>> = {
  schemata: { catalog_name: 'VARCHAR', schema_name: 'VARCHAR', schema_owner: 'VARCHAR' },
  tables: {
    table_catalog: 'VARCHAR',
    table_schema: 'VARCHAR',
    table_name: 'VARCHAR',
    table_type: 'VARCHAR',
    is_insertable_into: 'VARCHAR',
    table_comment: 'VARCHAR',
  },
  columns: {
    table_catalog: 'VARCHAR',
    table_schema: 'VARCHAR',
    table_name: 'VARCHAR',
    column_name: 'VARCHAR',
    ordinal_position: 'INTEGER',
    column_default: 'VARCHAR',
    is_nullable: 'VARCHAR',
    data_type: 'VARCHAR',
    character_maximum_length: 'INTEGER',
    numeric_precision: 'INTEGER',
    numeric_scale: 'INTEGER',
    column_comment: 'VARCHAR',
  },
};

/** Creates the tables that replace the views, in the instance of one statement. */
export async function createCatalogTables(
  connection: DuckDBConnection,
  views: readonly CatalogView[],
  frames: readonly CatalogFrame[],
  hasAnalytics: boolean,
): Promise<void> {
  for (const view of views) {
    const table = `framehold.main.${quoteName(catalogTable(view))}`;
    const columns = columnsOfViews[view];
    const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
    await connection.run(`CREATE TABLE ${table} (${list.join(', ')})`);
    const rows = await rowsOf(connection, view, frames, hasAnalytics);
    if (rows.length === 0) continue;
    // As one text: a call for each cell would take long.
    await connection.run(
      `INSERT INTO ${table} BY NAME SELECT unnest(from_json($1::VARCHAR, $2::VARCHAR), max_depth := 2)`,
      [JSON.stringify(rows), JSON.stringify([columns])],
    );
  }
}

async function rowsOf(
  connection: DuckDBConnection,
  view: CatalogView,
  frames: readonly CatalogFrame[],
  hasAnalytics: boolean,
): Promise<readonly Row[]> {
  switch (view) {
    case 'schemata':
      return catalogNames(hasAnalytics).map((name) => ({ catalog_name: name, schema_name: frameSchema }));
    case 'tables':
      return frames.map(({ name, notes }) => ({
        ...placeOf(name),
        table_type: 'BASE TABLE',
        // Of what another tenant shares, nothing can be changed.
        is_insertable_into: name.includes(':') ? 'NO' : 'YES',
        table_comment: notes?.description ?? null,
      }));
    case 'columns':
      return columnRows(connection, frames);
  }
}

function placeOf(name: string): Row {
  return { table_catalog: frameCatalog, table_schema: frameSchema, table_name: name };
}

async function columnRows(
  connection: DuckDBConnection,
  frames: readonly CatalogFrame[],
): Promise<readonly Row[]> {
  const found = frames.flatMap(({ name, schemaMessage, notes }) => {
    if (schemaMessage === null) return [];
    const { fields } = schemaOf(schemaMessage);
    const names = columnNames(fields);
    return fields.map((field, index) => ({
      table: name,
      column: names[index] as string,
      index,
      type: typeOf(field),
      comment: notes && columnNotesOf(notes, field.name).comment,
    }));
  });
  const shownTypes = await typeTexts(connection, [...new Set(found.map(({ type }) => type))]);
  return found.map(({ table, column, index, type, comment }) => {
    const data_type = shownTypes.get(type) ?? type;
    const [precision, scale] = data_type.startsWith('DECIMAL(')
      ? data_type.slice(8, -1).split(',').map(Number)
      : [];
    return {
      ...placeOf(table),
      column_name: column,
      ordinal_position: index + 1,
      is_nullable: 'YES',
      data_type,
      numeric_precision: precision ?? null,
      numeric_scale: scale ?? null,
      column_comment: comment,
    };
  });
}

/** As a table of the frame has it: what cannot be read is an expression that fails, which is an INTEGER to the engine. */
function typeOf(field: Field): string {
  const reading = readingOf(field);
  return reading.kind === 'readable' ? reading.sqlType : 'INTEGER';
}

/** Types asked for in one statement: a struct's can be long. */
const typesAtOnce = 500;

/** Types as DESCRIBE writes them. */
async function typeTexts(
  connection: DuckDBConnection,
  types: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (let start = 0; start < types.length; start += typesAtOnce) {
    const some = types.slice(start, start + typesAtOnce);
    const reader = await connection.runAndReadAll(
      `SELECT ${some.map((type) => `typeof(CAST(NULL AS ${type}))`).join(', ')}`,
    );
    for (const [index, type] of some.entries()) texts.set(type, String(reader.value(index, 0)));
  }
  return texts;
}
