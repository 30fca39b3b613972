import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  readonly stolen: number;
  readonly whole: number;
}

/** CPU time since boot, as Linux counts it; zero on other systems. */
export function processorTime(): ProcessorTime {
  let line: string;
  try {
    line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
  } catch {
    return { stolen: 0, whole: 0 };
  }
  // user, nice, system, idle, iowait, irq, softirq, steal. The fields after these are included in them.
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: ticks[7] ?? 0, whole: ticks.reduce((sum, each) => sum + each, 0) };
}

/** The share of this machine's CPU time that the host has given to other machines since then. */
export function stolenShare(since: ProcessorTime, now: ProcessorTime = processorTime()): number {
  return now.whole > since.whole ? (now.stolen - since.stolen) / (now.whole - since.whole) : 0;
}

/** Starts a clock that counts only the time that the machine had for itself, in milliseconds. */
export function startOwnClock(
  elapsedMs: () => number = () => performance.now(),
  processor: () => ProcessorTime = processorTime,
): () => number {
  const beganMs = elapsedMs();
  const began = processor();
  return () => (elapsedMs() - beganMs) * (1 - stolenShare(began, processor()));
}
