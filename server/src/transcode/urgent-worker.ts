import { serveTasks } from '../workers/serve-tasks.ts';
import { mergeTask, settleTask } from './parquet-tasks.ts';

/** The tasks of the settle and merge workers at full priority, because a caller waits. */
serveTasks({ settle: settleTask, merge: mergeTask });
