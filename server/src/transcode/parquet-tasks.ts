import type { ParquetCompression } from '../parquet/parquet-encodings.ts';
import { hasTrapped } from '../parquet/parquet-fault.ts';
import type {
  MergeReport,
  MergeRequest,
  RecompressRequest,
  SettleReport,
  SettleRequest,
} from '../ports/codec.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { mergeParts } from './merge/merge-parts.ts';
import { recompressFiles } from './squeeze/recompress-files.ts';
import { settlePart } from './to-parquet/settle-part.ts';

interface SettleTask {
  readonly request: SettleRequest;
  readonly compression: ParquetCompression;
}

export function settleTask(
  { request, compression }: SettleTask,
  context: TaskContext,
): Promise<SettleReport> {
  return retireAfterTrap(context, settlePart(request, compression, context.signal));
}

export function mergeTask(request: MergeRequest, context: TaskContext): Promise<MergeReport> {
  return retireAfterTrap(context, mergeParts(request, context.signal));
}

export function recompressTask(
  request: RecompressRequest,
  context: TaskContext,
): ReturnType<typeof recompressFiles> {
  return retireAfterTrap(context, recompressFiles(request, context.signal));
}

/**
 * For every job that uses the Parquet library: after a trap the thread or process has lost the library. No other job may begin there, because
 * it would fail for what this one did.
 */
async function retireAfterTrap<Result>(
  { retire }: Pick<TaskContext, 'retire'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } finally {
    if (hasTrapped()) retire();
  }
}
