import type { MergeRequest } from '../frames/ports/codec.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { mergeParts } from './merge-parts.ts';
import { settleTask } from './settle-task.ts';

/** What the settle and the merge worker do, for a caller that waits: at full priority. */
serveTasks({
  settle: settleTask,
  merge: (request: MergeRequest, { signal }: TaskContext) => mergeParts(request, signal),
});
