import { renderTasks } from '../../encode/render-tasks.ts';
import { compactTask, transcodeTask } from '../../transcode/form-tasks.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { checkTasks } from './check-tasks.ts';

/** A thread for work that a caller waits for. */
serveTasks({ ...checkTasks, ...renderTasks, transcode: transcodeTask, compact: compactTask });
