import { ReadableStream } from 'node:stream/web';
import type { Schema } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { firstHeader, type IpcPiece, joinStream } from './ipc-piece.ts';
import { type ParquetCompression, writerProperties } from './parquet-encodings.ts';
import { ParquetFault, parquetFault } from './parquet-fault.ts';
import { parquetModule, untilTrap } from './parquet-module.ts';

/**
 * Writes Arrow as Parquet. Only in worker threads, and better in one that ends afterwards: the library's memory only grows. Bodies must not be
 * compressed, and the dictionaries that a batch needs come with it. A ParquetFault says what the library cannot write;
 * after a fatal one (unions, for example) the thread must end.
 */

/** One Parquet file, in memory, out of a bounded stream. `notes` are keys and values for its footer. */
export function writeStream(
  stream: Uint8Array,
  compression: ParquetCompression,
  notes: ReadonlyMap<string, string> | null = null,
): Uint8Array {
  try {
    const { Table, writeParquet } = parquetModule();
    const properties = writerProperties(schemaOf(firstHeader(stream)), compression, notes);
    return writeParquet(Table.fromIPCStream(stream), properties);
  } catch (thrown) {
    throw parquetFault(thrown);
  }
}

/** What every reader of today knows, and the smallest. */
const exportCompression: ParquetCompression = 'zstd';

/** One Parquet file of any length, in chunks of about a row group. Each item: the dictionaries that a record batch needs, then the batch. */
export async function* streamParquet(
  schemaHeader: Uint8Array,
  batches: AsyncIterable<readonly IpcPiece[]>,
): AsyncGenerator<Uint8Array, void, void> {
  const source = batches[Symbol.asyncIterator]();
  try {
    const first = await source.next();
    if (first.done) {
      yield writeStream(joinStream(schemaHeader, []), exportCompression);
      return;
    }
    const input = recordBatches(schemaHeader, first.value, source);
    const properties = writerProperties(schemaOf(schemaHeader), exportCompression);
    const output = await untilTrap(parquetModule().transformParquetStream(input, properties));
    const reader = output.getReader();
    try {
      for (;;) {
        const { done, value } = await untilTrap(reader.read());
        if (done) return;
        yield value as Uint8Array;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  } catch (thrown) {
    throw parquetFault(thrown);
  } finally {
    await source.return?.();
  }
}

/** The batches inside the library's memory, one at a time as it asks for them. */
function recordBatches(
  schemaHeader: Uint8Array,
  first: readonly IpcPiece[],
  rest: AsyncIterator<readonly IpcPiece[]>,
): ReadableStream {
  let next: readonly IpcPiece[] | null = first;
  return new ReadableStream(
    {
      async pull(controller) {
        if (next === null) {
          controller.close();
          return;
        }
        const table = parquetModule().Table.fromIPCStream(joinStream(schemaHeader, next));
        for (const batch of table.recordBatches()) controller.enqueue(batch);
        table.free();
        const result = await rest.next();
        next = result.done ? null : result.value;
      },
    },
    { highWaterMark: 0 },
  );
}

function schemaOf(schemaHeader: Uint8Array): Schema {
  const message = parseMessage(schemaHeader);
  if (message.kind !== 'schema') throw new ParquetFault('not a schema', false, null);
  return message.schema;
}
