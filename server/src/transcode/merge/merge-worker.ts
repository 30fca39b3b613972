import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { mergeTask } from '../parquet-tasks.ts';

await lowerPriority(10);
serveTasks({ merge: mergeTask });
