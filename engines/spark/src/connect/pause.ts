import { setTimeout as delay } from 'node:timers/promises';

/** Ends early with the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((thrown) => {
    signal?.throwIfAborted();
    throw thrown;
  });
}
