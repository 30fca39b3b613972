import { serveTasks, type Task } from '../../../workers/serve-tasks.ts';
import { checkStatement, fillStatement } from './check-statement.ts';
import { guarded } from './guarded.ts';

/** The process in which statements are read and judged: whatever one does to the parser ends with it. */
serveTasks({
  check: guarded(checkStatement) as Task,
  fill: guarded(fillStatement) as Task,
});
