import type { SettleReport, SettleRequest } from '../frames/ports/codec.ts';
import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { hasTrapped } from '../parquet/parquet-fault.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { settlePart } from './settle-part.ts';

interface SettleTask {
  readonly request: SettleRequest;
  readonly compression: ParquetCompression;
}

/** After a trap no other part may be settled in the thread: it would be refused for what this one did. */
export async function settleTask(
  { request, compression }: SettleTask,
  { signal, retire }: TaskContext,
): Promise<SettleReport> {
  try {
    return await settlePart(request, compression, signal);
  } finally {
    if (hasTrapped()) retire();
  }
}
