import type { MergeReport, MergeRequest } from '../frames/ports/codec.ts';
import { hasTrapped } from '../parquet/parquet-fault.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { mergeParts } from './merge-parts.ts';

/** After a trap, as after one of a settle, the thread has no Parquet library any more. */
export async function mergeTask(
  request: MergeRequest,
  { signal, retire }: TaskContext,
): Promise<MergeReport> {
  try {
    return await mergeParts(request, signal);
  } finally {
    if (hasTrapped()) retire();
  }
}
