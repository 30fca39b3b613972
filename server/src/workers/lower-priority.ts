import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Lowers the priority of the calling worker thread or process (19 is the lowest). Linux has priorities per thread; elsewhere nothing changes. */
export async function lowerPriority(priority: number): Promise<void> {
  try {
    // Threads inherit the priority: libuv's pool, which does all file work, must be started before.
    await stat(process.execPath);
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, priority);
  } catch {
    // Not Linux, or not allowed: the work is done at the usual priority.
  }
}
