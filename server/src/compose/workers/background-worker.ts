import { compactTask, packTask, transcodeTask } from '../../transcode/form-tasks.ts';
import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';

/** A process for work that no caller waits for: callers come first. */
await lowerPriority(10);
serveTasks({ transcode: transcodeTask, compact: compactTask, pack: packTask });
