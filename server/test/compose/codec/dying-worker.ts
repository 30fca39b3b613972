import { serveTasks } from '../../../src/workers/serve-tasks.ts';

/** A thread that every job takes with it. */
serveTasks({
  check: async () => {
    process.exit(1);
  },
});
