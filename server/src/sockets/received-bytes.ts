import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection of what is young takes one or two milliseconds. With 8 MiB a body of 20 MB still makes V8 look through all, with 4 MiB it does not. */
const collectEveryBytes = 4 * 1024 * 1024;

let uncollected = 0;
let collectYoung: (() => void) | null = null;

/**
 * To be told what has been received, by whoever receives much. Node reads every 64 KiB into a new buffer, and V8 counts these as old memory although they
 * are young garbage: left alone it looks through the whole heap about every 20 MB, which takes as long as the receiving itself.
 */
export function countReceived(bytes: number): void {
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
