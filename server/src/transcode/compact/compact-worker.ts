import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { compactTask } from '../parquet-tasks.ts';

await lowerPriority(10);
serveTasks({ compact: compactTask });
