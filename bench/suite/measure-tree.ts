import { MemoryWatch, treeCpuSeconds } from '../sql/process-tree.ts';
import type { Sample } from './benchmark-case.ts';

/** Often enough to see the peak of a transfer of some hundred milliseconds; a look takes well below a millisecond. */
const lookEveryMs = 50;

/** What a client reports. Without `seconds`, the time of the whole call counts. */
export type ClientWork = Pick<Sample, 'work' | 'p99Ms'> & { readonly seconds?: number };

function memory(watch: MemoryWatch): Pick<Sample, 'peakMegabytes' | 'ownMegabytes'> {
  return { peakMegabytes: watch.peakOfAll, ownMegabytes: watch.peak('server') };
}

/** A server and the processes that it started, while a client of ours uses it. */
export async function measureTree(pid: number, run: () => Promise<ClientWork>): Promise<Sample> {
  const watch = new MemoryWatch(pid, lookEveryMs);
  const before = treeCpuSeconds(pid);
  const began = performance.now();
  try {
    const done = await run();
    const seconds = (performance.now() - began) / 1_000;
    return { seconds, ...done, cpuSeconds: treeCpuSeconds(pid) - before, ...memory(watch) };
  } finally {
    watch.stop();
  }
}
