import type { ExecutePlanResponse_ExecutionProgress as ExecutionProgress } from './gen/spark/connect/base_pb.js';

/** How much of an execution is done, by its tasks. Spark names stages as they begin, so that the sum of tasks grows: what is said never goes back. */
export class Progress {
  #fraction = 0;

  report({ stages }: Pick<ExecutionProgress, 'stages'>): number {
    let tasks = 0;
    let completed = 0;
    for (const { numTasks, numCompletedTasks } of stages) {
      tasks += Number(numTasks);
      completed += Math.min(Number(numTasks), Number(numCompletedTasks));
    }
    if (tasks > 0) this.#fraction = Math.max(this.#fraction, completed / tasks);
    return this.#fraction;
  }
}
