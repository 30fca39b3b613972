import type { MergeRequest } from '../frames/ports/codec.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { stepBack } from '../workers/step-back.ts';
import { mergeParts } from './merge-parts.ts';

await stepBack(10);
serveTasks({
  merge: (request: MergeRequest, { signal }: TaskContext) => mergeParts(request, signal),
});
