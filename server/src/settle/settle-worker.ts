import type { SettleRequest } from '../frames/ports/codec.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { stepBack } from '../workers/step-back.ts';
import { settlePart } from './settle-part.ts';

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
