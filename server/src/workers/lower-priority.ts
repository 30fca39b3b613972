import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Gives the calling thread a lower priority (up to 19): of a worker, or of a worker process. Linux has priorities per thread; elsewhere it keeps the process's. */
export async function lowerPriority(priority: number): Promise<void> {
  try {
    // A thread's priority passes on to those it starts: the pool that does everybody's file work must be there before.
    await stat(process.execPath);
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, priority);
  } catch {
    // Not Linux, or not allowed: the work is done all the same.
  }
}
