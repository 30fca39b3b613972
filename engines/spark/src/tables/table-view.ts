import { create } from '@bufbuild/protobuf';
import { nestedTypeText } from '../../../../server/src/arrow/schema/type-text.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { unreadableText } from '../../../../server/src/model/unreadable-column.ts';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { type Plan, PlanSchema } from '../connect/gen/spark/connect/base_pb.js';
import { CreateDataFrameViewCommandSchema } from '../connect/gen/spark/connect/commands_pb.js';
import type { Expression } from '../connect/gen/spark/connect/expressions_pb.js';
import { type Relation, RelationSchema } from '../connect/gen/spark/connect/relations_pb.js';
import { call, column, named, text } from './expressions.ts';
import { readTable, type TableColumn } from './read-table.ts';
import { type ReadableColumn, storedField } from './readable-types.ts';

/** In addition to the settings of the session, because these are of the one read. */
const readOptions: Readonly<Record<string, string>> = {
  // Also means that a folder named a=1 is not a column.
  recursiveFileLookup: 'true',
  mergeSchema: 'false',
  datetimeRebaseMode: 'CORRECTED',
  int96RebaseMode: 'CORRECTED',
  ignoreCorruptFiles: 'false',
  ignoreMissingFiles: 'false',
};

/** A view of this session over the files of a frame. The name is one that was made by the allowlist. */
export function tableView(viewName: string, table: EngineTable): Plan {
  const command = create(CreateDataFrameViewCommandSchema, {
    input: tableRelation(table),
    name: viewName,
    isGlobal: false,
    replace: false,
  });
  return create(PlanSchema, {
    opType: { case: 'command', value: { commandType: { case: 'createDataframeView', value: command } } },
  });
}

/**
 * The rows of a frame: its files with an explicit schema, numbered columns, and an expression for each column of the frame. A statement cannot insert into
 * it, because it is a projection.
 */
function tableRelation(table: EngineTable): Relation {
  const columns = readTable(table);
  if (columns.length === 0)
    throw new FrameholdError('column_not_readable', `The frame "${table.name}" has no columns.`);
  const stored = columns.filter(isReadable);
  const schema = JSON.stringify({
    type: 'struct',
    fields: stored.map(({ field, reading }) => storedField(field.name, reading.stored)),
  });
  const numbered = stored.map((_, index) => `c${index}`);
  const input = relation({
    case: 'toDf',
    value: { input: filesOf(table, schema), columnNames: numbered },
  });
  const expressions = columns.map((each) => {
    const fail = (why: string) => failure(table.name, each, why, columns);
    return named(columnValue(each, `c${stored.indexOf(each as StoredColumn)}`, fail), each.name);
  });
  return relation({ case: 'project', value: { input, expressions } });
}

type StoredColumn = TableColumn & { readonly reading: ReadableColumn };

function isReadable(column: TableColumn): column is StoredColumn {
  return column.reading.kind === 'readable';
}

function filesOf({ files }: EngineTable, schema: string): Relation {
  if (files.length === 0) return relation({ case: 'localRelation', value: { schema } });
  for (const file of files) refusePattern(file);
  return relation({
    case: 'read',
    value: {
      isStreaming: false,
      readType: {
        case: 'dataSource',
        value: { format: 'parquet', schema, paths: [...files], options: { ...readOptions } },
      },
    },
  });
}

/** An expression for each column. One that cannot be read fails if a statement needs it, and only there. */
function columnValue(
  { reading }: TableColumn,
  stored: string,
  fail: (why: string) => Expression,
): Expression {
  if (reading.kind === 'unreadable') return fail(reading.reason);
  return reading.convert?.(column(stored), fail, 0) ?? column(stored);
}

/** Names in the advice; a frame may have thousands of columns, and each has this text. */
const namesMax = 10;

function failure(
  table: string,
  { field, name }: TableColumn,
  reason: string,
  columns: readonly TableColumn[],
): Expression {
  const detail = `Column "${field.name}" of "${table}" (${nestedTypeText(field)}) cannot be read exactly by Spark: ${reason}.`;
  const refused = columns.filter((each) => !isReadable(each)).map((each) => each.name);
  const names = [...new Set([...refused, name])].map((each) => `\`${each.replaceAll('`', '``')}\``);
  const hint =
    names.length > namesMax
      ? 'The other columns can be read: name them.'
      : `The other columns can be read: SELECT * EXCEPT (${names.join(', ')}), or name them.`;
  return call(
    'raise_error',
    text(unreadableText(detail, `${hint} The engine duckdb may read it.`).toWellFormed()),
  );
}

/** Spark takes these for a pattern that may match other files, and there is no way to escape them for all stores. */
const patternCharacters = ['[', ']', '{', '}', '*', '?', '\\'];

function refusePattern(address: string): void {
  if (!patternCharacters.some((character) => address.includes(character))) return;
  throw new FrameholdError(
    'not_representable',
    'Spark cannot read frames whose address contains one of [ ] { } * ? \\.',
    {
      hint: 'An operator can move storage.parquet_path, or the prefix in storage.url, to a place without them.',
    },
  );
}

function relation(
  relType: NonNullable<Parameters<typeof create<typeof RelationSchema>>[1]>['relType'],
): Relation {
  return create(RelationSchema, { relType } as Parameters<typeof create<typeof RelationSchema>>[1]);
}
