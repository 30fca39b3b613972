import type { TestContext } from 'node:test';

export interface StoppedClock {
  /** Intervals that are due meanwhile come. */
  pass(ms: number): void;
}

/** For code that asks `performance.now` and sets intervals: both stand still until the test lets time pass. */
export function stoppedClock({ mock }: TestContext): StoppedClock {
  // A whole number, so that what passes is exact.
  let now = Math.ceil(performance.now());
  mock.method(performance, 'now', () => now);
  mock.timers.enable({ apis: ['setInterval'] });
  return {
    pass(ms) {
      now += ms;
      mock.timers.tick(ms);
    },
  };
}
