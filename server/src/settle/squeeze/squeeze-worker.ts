import type { PackRequest, RecompressRequest } from '../../frames/ports/codec.ts';
import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks, type TaskContext } from '../../workers/serve-tasks.ts';
import { retireAfterTrap } from '../retire-after-trap.ts';
import { packStream } from './pack-stream.ts';
import { recompressFiles } from './recompress-files.ts';

/** What only saves room comes after everything else, settling included. */
await lowerPriority(19);
serveTasks({
  pack: (request: PackRequest, { signal }: TaskContext) => packStream(request, signal),
  recompress: (request: RecompressRequest, context: TaskContext) =>
    retireAfterTrap(context, recompressFiles(request, context.signal)),
});
