import { create } from '@bufbuild/protobuf';
import { readBatch } from '../../../../server/src/arrow/batches/batch.ts';
import type { Schema } from '../../../../server/src/arrow/field.ts';
import { parseMessage } from '../../../../server/src/arrow/ipc/message.ts';
import { ArrowResult } from '../../src/connect/arrow-result.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import type { Execution } from '../../src/connect/execution.ts';
import { type Plan, PlanSchema } from '../../src/connect/gen/spark/connect/base_pb.js';
import { resultSchema } from '../../src/connect/result-schema.ts';

export const never: AbortSignal = new AbortController().signal;

/** The settings that the Arrow schema of a result depends on. */
export const settings: ReadonlyMap<string, string> = new Map([
  ['spark.sql.session.timeZone', 'UTC'],
  ['spark.sql.execution.arrow.useLargeVarTypes', 'false'],
]);

export function sqlPlan(query: string): Plan {
  return create(PlanSchema, {
    opType: { case: 'root', value: { relType: { case: 'sql', value: { query } } } },
  });
}

export interface RowSums {
  readonly rows: number;
  readonly batches: number;
  /** Of the first column, which is a BIGINT. */
  readonly sum: bigint;
  /** Whether the first column counts the rows from 0 on. */
  readonly inOrder: boolean;
  readonly reattached: number;
}

export interface RowReading {
  readonly signal?: AbortSignal;
  /** Called after each batch. */
  readonly onBatch?: (batches: number, execution: Execution) => Promise<void> | void;
}

/** Everything that a statement gives, checked against its announced schema. */
export async function sumRows(
  session: ConnectSession,
  query: string,
  reading: RowReading = {},
): Promise<RowSums> {
  const { signal = never, onBatch } = reading;
  const plan = sqlPlan(query);
  const schema = resultSchema(await session.analyzeSchema(plan, signal), 'UTC');
  const result = new ArrowResult(schema);
  const execution = session.execute(plan, { signal });
  let batches = 0;
  let sum = 0n;
  let inOrder = true;
  for await (const event of execution) {
    if (event.kind !== 'batch') continue;
    let row = result.rows;
    for (const message of result.messagesOf(event))
      for (const value of firstColumn(schema, message.header, message.peekBody?.() as Uint8Array)) {
        sum += value;
        inOrder &&= value === BigInt(row++);
      }
    await onBatch?.(++batches, execution);
  }
  return { rows: result.rows, batches, sum, inOrder, reattached: execution.reattached };
}

function firstColumn(schema: Schema, header: Uint8Array, body: Uint8Array): BigInt64Array {
  const message = parseMessage(header);
  if (message.kind !== 'record-batch') throw new Error(`a ${message.kind}`);
  const batch = readBatch(schema.fields, message.batch, body, new Map());
  const bytes = new Uint8Array(batch.columns[0]?.buffers[0] ?? new Uint8Array(0));
  return new BigInt64Array(bytes.buffer, 0, batch.length);
}

/** The sum of 0, 1, … below. */
export function sumBelow(count: number): bigint {
  return (BigInt(count) * BigInt(count - 1)) / 2n;
}

/** Hours on any machine. Its tasks look every thousand rows whether they are wanted, so that an interrupted one leaves its place at once. */
export const endlessStatement = 'select sum(hash(id)) from range(0, 1000000000000, 1, 4)';
