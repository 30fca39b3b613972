/**
 * Loaded before the server (`node --import`), in each of its threads: its clock is wrong by CLOCK_AHEAD_MS, as on a machine that nobody
 * keeps in time. Timers and durations are right, as they are there.
 */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const RightDate = Date;

if (aheadMs !== 0) {
  class WrongDate extends RightDate {
    constructor(...args: readonly unknown[]) {
      if (args.length === 0) super(RightDate.now() + aheadMs);
      else super(...(args as [number]));
    }

    static override now(): number {
      return RightDate.now() + aheadMs;
    }
  }
  globalThis.Date = WrongDate as DateConstructor;
}
