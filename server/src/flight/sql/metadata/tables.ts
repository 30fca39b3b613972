import { frameCatalog, frameSchema } from '../../../model/sql-names.ts';
import { NamePattern } from '../../../sql/catalog/name-pattern.ts';
import { type VisibleTablesDependencies, visibleTables } from '../../../sql/catalog/visible-tables.ts';
import type { Call } from '../../call.ts';
import type { CommandGetTables } from '../../gen/FlightSql_pb.js';
import { binary, field, utf8 } from '../rows/fields.ts';
import type { Row } from '../rows/small-table.ts';
import { catalogMatches, patternMatches, tableType } from './names.ts';
import { tableSchema } from './table-schema.ts';

/** The most that one batch has. */
const batchRows = 500;
/** A batch ends sooner if schemas are large: clients take messages of 16 MiB at most, and one schema may have some. */
const batchBytes = 1024 * 1024;

const plainFields = [
  field('catalog_name', utf8, true),
  field('db_schema_name', utf8, true),
  field('table_name', utf8, false),
  field('table_type', utf8, false),
];

export function tableFields({ includeSchema }: CommandGetTables) {
  return includeSchema ? [...plainFields, field('table_schema', binary, false)] : plainFields;
}

/** The caller's own frames whose names match, page by page: there may be a million. */
export async function* tablePages(
  command: CommandGetTables,
  tables: VisibleTablesDependencies,
  call: Call,
): AsyncGenerator<readonly Row[], void, void> {
  const { catalog, dbSchemaFilterPattern, tableNameFilterPattern, tableTypes, includeSchema } = command;
  const schemas = dbSchemaFilterPattern === undefined ? null : new NamePattern(dbSchemaFilterPattern);
  const names = tableNameFilterPattern === undefined ? null : new NamePattern(tableNameFilterPattern);
  if (!catalogMatches(catalog, frameCatalog) || !patternMatches(schemas, frameSchema)) return;
  if (tableTypes.length > 0 && !tableTypes.includes(tableType)) return;
  let rows: Row[] = [];
  let bytes = 0;
  const wanted = { names, shared: false, schemas: includeSchema };
  for await (const { name, schema } of visibleTables(tables, call.caller, wanted, call.signal)) {
    const row = [frameCatalog, frameSchema, name, tableType];
    rows.push(schema === null ? row : [...row, tableSchema(schema)]);
    bytes += schema?.message.length ?? 0;
    if (rows.length < batchRows && bytes < batchBytes) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  yield rows;
}
