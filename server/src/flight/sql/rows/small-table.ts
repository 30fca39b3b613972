import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { encodeRecordBatchHeader } from '../../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../../arrow/batches/batch-layout.ts';
import type { Field } from '../../../arrow/field.ts';
import { encodeSchema } from '../../../arrow/ipc/schema-encoder.ts';
import type { IpcMessage } from '../../../ports/renderer.ts';
import { type Cell, columnOf } from './columns.ts';
import type { ResultSet } from './result-set.ts';

export type Row = readonly Cell[];

/** Rows of metadata, encoded here: they are few. */
export function smallTable(fields: readonly Field[], rows: readonly Row[]): ResultSet {
  return resultSet(fields, batchesOf(rows.length === 0 ? [] : [batchMessage(rowsAsColumns(fields, rows))]));
}

/** Pages of rows, each one batch, made as they are taken. */
export function pagedTable(fields: readonly Field[], pages: AsyncIterable<readonly Row[]>): ResultSet {
  return resultSet(fields, encodePages(fields, pages));
}

export function columnsTable(columns: readonly ArrayData[]): ResultSet {
  return resultSet(
    columns.map(({ field }) => field),
    batchesOf([batchMessage(columns)]),
  );
}

export function schemaOf(fields: readonly Field[]): Uint8Array {
  return encodeSchema({ fields, metadata: [] });
}

function resultSet(fields: readonly Field[], messages: AsyncIterable<IpcMessage>): ResultSet {
  return { schemaMessage: schemaOf(fields), messages, release: async () => {} };
}

async function* batchesOf(messages: readonly IpcMessage[]): AsyncGenerator<IpcMessage, void, void> {
  yield* messages;
}

async function* encodePages(
  fields: readonly Field[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<IpcMessage, void, void> {
  for await (const rows of pages) if (rows.length > 0) yield batchMessage(rowsAsColumns(fields, rows));
}

function rowsAsColumns(fields: readonly Field[], rows: readonly Row[]): ArrayData[] {
  return fields.map((field, index) =>
    columnOf(
      field,
      rows.map((row) => row[index] ?? null),
    ),
  );
}

function batchMessage(columns: readonly ArrayData[]): IpcMessage {
  const plan = planBatch(columns[0]?.length ?? 0, columns);
  return {
    header: encodeRecordBatchHeader(plan.layout),
    bodyBytes: plan.layout.bodyBytes,
    readBody: async (target) => plan.write(target),
  };
}
