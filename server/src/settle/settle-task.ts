import type { SettleReport, SettleRequest } from '../frames/ports/codec.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { settlePart } from './settle-part.ts';

interface SettleTask {
  readonly request: SettleRequest;
  readonly compression: ParquetCompression;
}

export function settleTask(
  { request, compression }: SettleTask,
  { signal }: TaskContext,
): Promise<SettleReport> {
  return settlePart(request, compression, signal);
}
