import type { BatchData } from '../../src/arrow/arrays/array-data.ts';
import { readBatch } from '../../src/arrow/batches/batch.ts';
import { Dictionaries } from '../../src/arrow/batches/dictionaries.ts';
import {
  StreamCheck,
  type StreamCheckOptions,
  type StreamReport,
} from '../../src/arrow/check/stream-check.ts';
import type { Schema } from '../../src/arrow/field.ts';
import { endOfStream, frameHeader } from '../../src/arrow/ipc/framing.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { type ByteSource, MessageReader } from '../../src/arrow/ipc/message-reader.ts';

/** Bytes in memory as the check reads a file. */
export function checkBytes(bytes: Uint8Array, options: StreamCheckOptions = {}): StreamReport {
  return new StreamCheck(syncSource(bytes), options).finish(bytes.length);
}

export function syncSource(bytes: Uint8Array): { readSync(target: Uint8Array, position: number): number } {
  return { readSync: (target, position) => copyTo(bytes, target, position) };
}

export function asyncSource(bytes: Uint8Array): ByteSource {
  return { read: async (target, position) => copyTo(bytes, target, position) };
}

function copyTo(bytes: Uint8Array, target: Uint8Array, position: number): number {
  const part = bytes.subarray(position, position + target.length);
  target.set(part);
  return part.length;
}

export interface DecodedStream {
  readonly schema: Schema;
  readonly batches: readonly BatchData[];
}

/** Everything in a stream, read as workers read it. `shift` puts every body at an odd place in memory. */
export async function decodeStream(
  bytes: Uint8Array,
  shift = 0,
  columns?: readonly number[],
): Promise<DecodedStream> {
  const reader = new MessageReader(asyncSource(bytes));
  const first = await reader.next();
  if (first === null) throw new Error('no schema');
  const message = parseMessage(first.header);
  if (message.kind !== 'schema') throw new Error('no schema');
  const dictionaries = new Dictionaries(message.schema);
  const batches: BatchData[] = [];
  for (let next = await reader.next(); next !== null; next = await reader.next()) {
    const body = new Uint8Array(next.bodyBytes + shift).subarray(shift);
    await next.readBody(body);
    const parsed = parseMessage(next.header);
    if (parsed.kind === 'dictionary') dictionaries.add(parsed, body);
    else if (parsed.kind === 'record-batch') {
      const options = columns === undefined ? {} : { columns };
      batches.push(readBatch(message.schema.fields, parsed.batch, body, dictionaries.current(), options));
    }
  }
  return { schema: message.schema, batches };
}

export interface Piece {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** A stream of these messages, with its end. */
export function streamOf(pieces: readonly Piece[]): Uint8Array {
  return Buffer.concat([...pieces.flatMap(({ header, body }) => [frameHeader(header), body]), endOfStream]);
}
