import type { ExecutePlanResponse_ExecutionProgress as ExecutionProgress } from './gen/spark/connect/base_pb.js';

/** How much of an execution is done, by the tasks of the stages that Spark has planned so far, from 0 to 1. It falls when Spark plans another stage. */
export function progressOf({ stages }: Pick<ExecutionProgress, 'stages'>): number {
  let tasks = 0;
  let completed = 0;
  for (const { numTasks, numCompletedTasks } of stages) {
    tasks += Number(numTasks);
    completed += Math.min(Number(numTasks), Number(numCompletedTasks));
  }
  return tasks === 0 ? 0 : completed / tasks;
}
