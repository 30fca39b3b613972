import type { PackRequest } from '../../ports/codec.ts';
import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks, type TaskContext } from '../../workers/serve-tasks.ts';
import { packStream } from './pack-stream.ts';

/** Recompressing only saves space, so it has the lowest priority of all work, transcoding included. */
await lowerPriority(19);
serveTasks({
  pack: (request: PackRequest, { signal }: TaskContext) => packStream(request, signal),
});
