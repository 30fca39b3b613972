import { serveTasks } from '../../src/workers/serve-tasks.ts';

/** As long as a thread takes to start on a machine that has no processor to spare. */
const startMs = 1_500;

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startMs);
serveTasks({ double: async (value: number) => value * 2 });
