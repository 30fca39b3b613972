import { serveTasks } from '../../workers/serve-tasks.ts';
import { stepBack } from '../../workers/step-back.ts';
import { settleTask } from './settle-task.ts';

/** Nobody waits for settling: callers come first. */
await stepBack(10);
serveTasks({ settle: settleTask });
