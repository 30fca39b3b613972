import type { SettleRequest } from '../frames/ports/codec.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { settlePart } from './settle-part.ts';
import { stepBack } from './step-back.ts';

interface SettleTask {
  readonly request: SettleRequest;
  readonly compression: ParquetCompression;
}

/** Nobody waits for settling: callers come first. */
await stepBack(10);
serveTasks({
  settle: ({ request, compression }: SettleTask, { signal }: TaskContext) =>
    settlePart(request, compression, signal),
});
