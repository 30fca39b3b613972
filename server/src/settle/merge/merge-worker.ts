import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { mergeTask } from './merge-task.ts';

await lowerPriority(10);
serveTasks({ merge: mergeTask });
