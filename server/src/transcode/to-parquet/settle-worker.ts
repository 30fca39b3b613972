import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { settleTask } from '../parquet-tasks.ts';

/** Settling in the background has a low priority: callers come first. */
await lowerPriority(10);
serveTasks({ settle: settleTask });
