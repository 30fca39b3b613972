import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Nobody waits for this thread's work: callers come first. */
const backgroundPriority = 10;

/** Lowers the priority of the thread that calls it. Linux has priorities per thread; elsewhere it keeps the process's. */
export async function stepBack(): Promise<void> {
  try {
    // A thread's priority passes on to those it starts: the pool that does everybody's file work must be there before.
    await stat(process.execPath);
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0 && thread !== process.pid) setPriority(thread, backgroundPriority);
  } catch {
    // Not Linux, or not allowed: the work is done all the same.
  }
}
