import { serveTasks } from '../../src/workers/serve-tasks.ts';

/** Rendering that gives something, and then waits for what never comes. */
serveTasks({
  render: async (_: unknown, { emit }) => {
    await emit(new Uint8Array(1));
    await new Promise(() => {});
  },
});
