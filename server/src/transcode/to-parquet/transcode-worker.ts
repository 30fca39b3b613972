import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';
import { transcodeTask } from '../parquet-tasks.ts';

/** Transcoding in the background has a low priority: callers come first. */
await lowerPriority(10);
serveTasks({ transcode: transcodeTask });
