import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection of what is young takes one or two milliseconds. With 8 MiB a body of 20 MB still makes V8 look through all, with 4 MiB it does not. */
const collectEveryBytes = 4 * 1024 * 1024;

let uncollected = 0;
let collectYoung: (() => void) | null = null;

/**
 * For bytes that pass through in buffers of their own, in either direction: to be called with the size of each. V8 counts such buffers as old memory although they are young
 * garbage: left alone it looks through the whole heap about every 20 MB, which takes longer than to receive or send them.
 */
export function countPassing(bytes: number): void {
  uncollected += bytes;
  if (uncollected < collectEveryBytes) return;
  uncollected = 0;
  collectYoung ??= youngCollector();
  collectYoung();
}

function youngCollector(): () => void {
  // Contexts that are made from now on have it. The server's own does not.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}
