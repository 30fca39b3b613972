import { parentPort, workerData } from 'node:worker_threads';
import { type Finding, type FuzzOrder, stateFields } from './protocol.ts';
import { renewTargets } from './renewed-modules.ts';
import { seededRandom } from './seeded-random.ts';
import type { Verdict } from './targets.ts';

/** Modules that were loaded anew stay in memory: after so many traps a new thread goes on. */
const renewalsMax = 100;
/** Nor does the memory that a trapped library holds go away before its thread does. */
const corkBytesMax = 256 * 1024 * 1024;

/** Runs cases one after another and says nothing but findings; the watcher looks at the shared state. */
async function fuzz(order: FuzzOrder): Promise<void> {
  const { target, samples, seed, state, folder } = order;
  let { mutate, run } = (await renewTargets()).openTarget(target, folder);
  let renewals = 0;
  for (let caseIndex = order.from; caseIndex < order.to; caseIndex++) {
    Atomics.store(state, stateFields.caseIndex, caseIndex);
    const random = seededRandom(seed, caseIndex);
    const sample = samples[random(samples.length)] as Uint8Array;
    const other = samples[random(samples.length)] as Uint8Array;
    const bytes = mutate(sample, other, random);
    let verdict: Verdict = 'refused';
    try {
      verdict = await run(bytes, random);
    } catch (thrown) {
      const what = thrown instanceof Error ? `${thrown.stack} ${String(thrown.cause ?? '')}` : String(thrown);
      parentPort?.postMessage({ target, seed, caseIndex, what } satisfies Finding);
    }
    Atomics.add(state, stateFields[verdict], 1);
    if (verdict !== 'trapped') continue;
    if (++renewals === renewalsMax || process.memoryUsage().arrayBuffers > corkBytesMax) return;
    ({ mutate, run } = (await renewTargets()).openTarget(target, folder));
  }
}

// Each library that was loaded listens for its own traps.
process.setMaxListeners(0);
await fuzz(workerData as FuzzOrder);
parentPort?.postMessage('ended');
