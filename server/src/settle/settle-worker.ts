import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { SettleRequest } from '../frames/ports/codec.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { settlePart } from './settle-part.ts';

interface SettleTask {
  readonly request: SettleRequest;
  readonly compression: ParquetCompression;
}

/** Nobody waits for settling: callers come first. */
const backgroundPriority = 10;

/** Linux has priorities per thread; elsewhere the thread keeps the process's. */
async function stepBack(): Promise<void> {
  try {
    // A thread's priority passes on to those it starts: the pool that does everybody's file work must be there before.
    await stat(process.execPath);
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0 && thread !== process.pid) setPriority(thread, backgroundPriority);
  } catch {
    // Not Linux, or not allowed: settling works all the same.
  }
}

await stepBack();
serveTasks({
  settle: ({ request, compression }: SettleTask, { signal }: TaskContext) =>
    settlePart(request, compression, signal),
});
