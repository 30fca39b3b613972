import { hasTrapped } from '../parquet/parquet-fault.ts';
import type {
  CompactReport,
  CompactRequest,
  PackRequest,
  TranscodeReport,
  TranscodeRequest,
  Written,
} from '../ports/codec.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { compactParts } from './compact/compact-parts.ts';
import { packStream } from './recompress/pack-stream.ts';
import { type PartCompression, transcodePart } from './to-parquet/transcode-part.ts';

interface TranscodeTask {
  readonly request: TranscodeRequest;
  readonly compression: PartCompression;
}

export function transcodeTask(
  { request, compression }: TranscodeTask,
  context: TaskContext,
): Promise<TranscodeReport> {
  return retireAfterTrap(context, transcodePart(request, compression, context.signal));
}

export function compactTask(request: CompactRequest, context: TaskContext): Promise<CompactReport> {
  return retireAfterTrap(context, compactParts(request, context.signal));
}

export function packTask(request: PackRequest, { signal }: TaskContext): Promise<Written | null> {
  return packStream(request, signal);
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
