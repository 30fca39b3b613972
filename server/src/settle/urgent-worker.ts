import { serveTasks } from '../workers/serve-tasks.ts';
import { mergeTask } from './merge/merge-task.ts';
import { settleTask } from './to-parquet/settle-task.ts';

/** What the settle and the merge worker do, for a caller that waits: at full priority. */
serveTasks({ settle: settleTask, merge: mergeTask });
