import { serveTasks } from '../workers/serve-tasks.ts';
import { compactTask, transcodeTask } from './parquet-tasks.ts';

/** The tasks of the transcode and compact workers at full priority, because a caller waits. */
serveTasks({ transcode: transcodeTask, compact: compactTask });
