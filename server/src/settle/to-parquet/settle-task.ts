import type { SettleReport, SettleRequest } from '../../frames/ports/codec.ts';
import type { ParquetCompression } from '../../parquet/parquet-encodings.ts';
import type { TaskContext } from '../../workers/serve-tasks.ts';
import { retireAfterTrap } from '../retire-after-trap.ts';
import { settlePart } from './settle-part.ts';

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
