import { setImmediate as nextTurn } from 'node:timers/promises';
import { SyncFileSource } from '../../arrow/ipc/file-source.ts';
import { batchSummary } from '../../arrow/ipc/message.ts';
import { MessageReader } from '../../arrow/ipc/message-reader.ts';
import type { ArrowPositions } from './arrow-positions.ts';

/** Enough for most headers, and little enough that bodies between them are not read. */
const windowBytes = 4 * 1024;
/** 128 KiB for a file. If it has more batches, every second, every fourth … is kept, and a reader passes over the headers between. */
const batchesMax = 8_192;
/** A file with more is one whose dictionaries change with every batch; then it does not pay to keep where they are. */
const dictionariesMax = 8_192;
/** A job gives way to the thread's other jobs after this long. */
const turnMs = 5;

/** Goes through the headers of an Arrow file; bodies are not read. */
export async function findPositions(path: string, signal: AbortSignal): Promise<ArrowPositions> {
  using source = new SyncFileSource(path);
  const reader = new MessageReader(source, { windowBytes });
  let batches: { readonly rowsBefore: number; readonly position: number }[] = [];
  const dictionaries: { readonly position: number; readonly id: bigint; readonly delta: boolean }[] = [];
  let stride = 1;
  let seen = 0;
  let rowsBefore = 0;
  let turnStart = performance.now();
  for (;;) {
    const framed = await reader.next();
    if (framed === null) break;
    const { position, header } = framed;
    const summary = batchSummary(header);
    if (summary.kind === 'dictionary') {
      const { id, delta } = summary;
      if (dictionaries.length <= dictionariesMax) dictionaries.push({ position, id, delta });
    } else if (summary.kind === 'record-batch') {
      if (seen++ % stride === 0) batches.push({ rowsBefore, position });
      if (batches.length > batchesMax) {
        batches = batches.filter((_, index) => index % 2 === 0);
        stride *= 2;
      }
      rowsBefore += summary.rows;
    }
    if (performance.now() - turnStart < turnMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnStart = performance.now();
  }
  return {
    rowsBefore: Float64Array.from(batches, (batch) => batch.rowsBefore),
    positions: Float64Array.from(batches, (batch) => batch.position),
    dictionaries:
      dictionaries.length > dictionariesMax
        ? null
        : {
            positions: Float64Array.from(dictionaries, ({ position }) => position),
            ids: BigInt64Array.from(dictionaries, ({ id }) => id),
            deltas: Uint8Array.from(dictionaries, ({ delta }) => (delta ? 1 : 0)),
          },
  };
}
