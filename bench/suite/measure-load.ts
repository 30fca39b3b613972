import { type WrkOptions, wrk } from '../load/wrk.ts';
import type { Sample } from './benchmark-case.ts';
import { measureTree } from './measure-tree.ts';

/** A machine on which one request takes longer than this cannot measure a rate. */
const secondsMax = 60;

/**
 * A server under load. If it answers nothing in the given time, the time is doubled: engines have a low priority, and may have to wait for
 * others on a busy machine.
 */
export async function measureLoad(pid: number, url: string, options: WrkOptions): Promise<Sample> {
  for (let { seconds } = options; ; seconds *= 2) {
    let failures = 0;
    const sample = await measureTree(pid, async () => {
      const result = await wrk(url, { ...options, seconds });
      failures = result.failures;
      return { work: result.requests, seconds: result.seconds, p99Ms: result.p99Ms };
    });
    if (failures > 0) throw new Error(`${url}: ${failures} of ${sample.work} requests failed`);
    if (sample.work > 0) return sample;
    if (seconds >= secondsMax) throw new Error(`${url}: no answer in ${seconds} s`);
  }
}
