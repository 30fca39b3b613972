import type { Frames } from '../../../frames/frames.ts';
import type { SchemaRecord } from '../../../model/version.ts';
import type { Call } from '../../call.ts';
import { everyFrame } from '../../every-frame.ts';
import type { CommandGetTables } from '../../gen/FlightSql_pb.js';
import { binary, field, utf8 } from '../rows/fields.ts';
import type { Row } from '../rows/small-table.ts';
import { NamePattern } from './name-pattern.ts';
import { catalogMatches, frameCatalog, frameSchema, patternMatches, tableType } from './names.ts';
import { tableSchema } from './table-schema.ts';

/** Names asked of the catalog at once, and the most that one batch has. */
const pageLimit = 500;
/** A batch ends sooner if schemas are large: clients take messages of 16 MiB at most, and one schema may have some. */
const batchBytes = 1024 * 1024;
/** Letters of names: what a pattern begins with must be of them, or nothing matches. */
const prefixPattern = /^[A-Za-z0-9_.-]{0,128}$/;

interface FoundFrame {
  readonly name: string;
  /** null if it is not asked for. */
  readonly schema: SchemaRecord | null;
}

const plainFields = [
  field('catalog_name', utf8, true),
  field('db_schema_name', utf8, true),
  field('table_name', utf8, false),
  field('table_type', utf8, false),
];

export function tableFields({ includeSchema }: CommandGetTables) {
  return includeSchema ? [...plainFields, field('table_schema', binary, false)] : plainFields;
}

/** Every frame whose name matches, at its newest version, page by page: there may be a million. */
export async function* tablePages(
  command: CommandGetTables,
  frames: Frames,
  call: Call,
): AsyncGenerator<readonly Row[], void, void> {
  const { catalog, dbSchemaFilterPattern, tableNameFilterPattern, tableTypes, includeSchema } = command;
  const schemas = dbSchemaFilterPattern === undefined ? null : new NamePattern(dbSchemaFilterPattern);
  const names = tableNameFilterPattern === undefined ? null : new NamePattern(tableNameFilterPattern);
  const prefix = names?.prefix ?? '';
  if (!catalogMatches(catalog, frameCatalog) || !patternMatches(schemas, frameSchema)) return;
  if (tableTypes.length > 0 && !tableTypes.includes(tableType)) return;
  if (!prefixPattern.test(prefix)) return;
  let rows: Row[] = [];
  let bytes = 0;
  const found = includeSchema ? everyFrame(frames, call, prefix, pageLimit) : namesWith(prefix, frames, call);
  for await (const { name, schema } of found) {
    if (!patternMatches(names, name)) continue;
    const row = [frameCatalog, frameSchema, name, tableType];
    rows.push(schema === null ? row : [...row, tableSchema(schema)]);
    bytes += schema?.message.length ?? 0;
    if (rows.length < pageLimit && bytes < batchBytes) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  yield rows;
}

async function* namesWith(
  prefix: string,
  frames: Frames,
  call: Call,
): AsyncGenerator<FoundFrame, void, void> {
  for (let after: string | null = null; ; ) {
    const asked = { prefix, after, limit: pageLimit };
    const page: readonly string[] = await frames.names(call.caller, asked, call.signal);
    for (const name of page) yield { name, schema: null };
    const last = page.at(-1);
    if (last === undefined || page.length < pageLimit) return;
    after = last.toLowerCase();
  }
}
