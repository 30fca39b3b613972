import type { MergeReport, MergeRequest } from '../../frames/ports/codec.ts';
import type { TaskContext } from '../../workers/serve-tasks.ts';
import { retireAfterTrap } from '../retire-after-trap.ts';
import { mergeParts } from './merge-parts.ts';

export function mergeTask(request: MergeRequest, context: TaskContext): Promise<MergeReport> {
  return retireAfterTrap(context, mergeParts(request, context.signal));
}
