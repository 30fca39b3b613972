import { decodeTasks } from '../../decode/decode-tasks.ts';
import { transcodeTask } from '../../transcode/form-tasks.ts';
import { serveTasks } from '../../workers/serve-tasks.ts';

/** A process for work that a caller waits for, and whose memory can only be limited as a whole. */
serveTasks({ ...decodeTasks, transcode: transcodeTask });
