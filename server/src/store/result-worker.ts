import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { type CopyTask, copyFile } from './copy-file.ts';

serveTasks({
  copy: (task: CopyTask, { signal }: TaskContext) => copyFile(task, signal),
});
