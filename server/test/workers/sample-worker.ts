import { writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { FrameholdError } from '../../src/model/errors.ts';
import { serveTasks } from '../../src/workers/serve-tasks.ts';
import { timePasses } from '../support/passing-time.ts';

const leftBehind: Uint8Array[] = [];

serveTasks({
  double: async (value: number) => value * 2,
  refuse: async () => {
    throw new FrameholdError('bad_body', 'no good', { hint: 'mend it' });
  },
  crash: async () => {
    process.exit(3);
  },
  /** Makes an empty file when it has begun. */
  spin: async (begun: string | null) => {
    if (begun !== null) writeFileSync(begun, '');
    for (;;);
  },
  /** Gives one chunk, and then waits for what never comes. With `heeds` it stops when it is asked to. */
  hang: async ({ heeds }: { heeds: boolean }, { emit, signal }) => {
    await emit('first');
    await new Promise((_, reject) => {
      if (heeds) signal.addEventListener('abort', () => reject(signal.reason));
    });
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
  /** Takes memory that is not in the heap, and keeps it. */
  hoard: async () => {
    const held: Uint8Array[] = [];
    for (;;) held.push(new Uint8Array(16 * 1024 * 1024).fill(1));
  },
  /** Fills the heap with one growing table, which ends the whole process if it is in a thread. */
  fillHeap: async () => {
    const held = new Map<number, number[]>();
    for (let key = 0; ; key++) held.set(key, [key]);
  },
  throwLater: async () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    await new Promise(() => {});
  },
  /** Its thread may not be used again. */
  spoil: async (_: null, { retire }) => {
    retire();
    return threadId;
  },
  which: async () => threadId,
  hold: async (bytes: number) => {
    leftBehind.push(new Uint8Array(bytes).fill(1));
  },
  /** Where it runs; with `spoils` nobody may run there after it, and with `holdBytes` it leaves memory behind. */
  whichProcess: async (wish: { spoils?: boolean; holdBytes?: number }, { retire }) => {
    if (wish.spoils) retire();
    leftBehind.push(new Uint8Array(wish.holdBytes ?? 0).fill(1));
    return process.pid;
  },
  work: async (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return ms;
  },
  sleep: async (ms: number) => {
    await timePasses(ms, 'a job that takes its time');
    return ms;
  },
});
