import { FrameholdError } from '../../src/frames/errors.ts';
import { serveTasks } from '../../src/workers/serve-tasks.ts';

serveTasks({
  double: async (value: number) => value * 2,
  refuse: async () => {
    throw new FrameholdError('bad_body', 'no good', { hint: 'mend it' });
  },
  crash: async () => {
    process.exit(3);
  },
  spin: async () => {
    for (;;);
  },
  count: async (upTo: number, { emit }) => {
    for (let n = 1; n <= upTo; n++) await emit(n);
    return upTo;
  },
  echo: async (_: null, { receive }) => {
    const heard: unknown[] = [];
    while (heard.at(-1) !== 'end') heard.push(await receive());
    return heard;
  },
  /** Answers what it is fed with. */
  relay: async (_: null, { inputs, emit }) => {
    for await (const item of inputs()) await emit(item);
  },
  /** Takes one input and no more. */
  takeOne: async (_: null, { inputs, emit }) => {
    for await (const item of inputs()) {
      await emit(item);
      return;
    }
  },
  /** Takes inputs as fast as they come, and gives nothing until they end. */
  countInputs: async (_: null, { inputs, emit }) => {
    let count = 0;
    for await (const _item of inputs()) count++;
    await emit(count);
  },
  crashWhenFed: async (_: null, { inputs }) => {
    for await (const _item of inputs()) process.exit(3);
  },
  sleep: async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ms;
  },
});
