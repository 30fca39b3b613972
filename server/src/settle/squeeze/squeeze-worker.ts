import type { PackRequest, RecompressRequest } from '../../frames/ports/codec.ts';
import { serveTasks, type TaskContext } from '../../workers/serve-tasks.ts';
import { stepBack } from '../../workers/step-back.ts';
import { retireAfterTrap } from '../retire-after-trap.ts';
import { packStream } from './pack-stream.ts';
import { recompressFiles } from './recompress-files.ts';

/** What only saves room comes after everything else, settling included. */
await stepBack(19);
serveTasks({
  pack: (request: PackRequest, { signal }: TaskContext) => packStream(request, signal),
  recompress: (request: RecompressRequest, context: TaskContext) =>
    retireAfterTrap(context, recompressFiles(request, context.signal)),
});
