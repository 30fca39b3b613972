import { serveTasks } from '../../workers/serve-tasks.ts';
import { stepBack } from '../../workers/step-back.ts';
import { mergeTask } from './merge-task.ts';

await stepBack(10);
serveTasks({ merge: mergeTask });
