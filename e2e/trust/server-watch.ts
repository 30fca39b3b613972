import { readdirSync, readFileSync } from 'node:fs';
import type { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';

const pageBytes = 4096;
const everyMs = 25;

/** What other callers and the machine see of a server while something happens to it. */
export interface Watched {
  readonly pings: number;
  readonly slowestPingMs: number;
  /** The server's and its workers' memory, above what it was before. */
  readonly serverBytes: number;
  readonly workerBytes: number;
}

export async function watch(framehold: Framehold, work: () => Promise<void>): Promise<Watched> {
  let pings = 0;
  let slowestPingMs = 0;
  let serverBytes = 0;
  let workerBytes = 0;
  let ended = false;
  const before = residentBytes(framehold.pid);
  const pinging = (async () => {
    while (!ended) {
      const began = performance.now();
      const answer = await fetch(`${framehold.url}/ping`);
      if (!answer.ok) throw new Error(`ping: ${answer.status}`);
      await answer.arrayBuffer();
      pings++;
      slowestPingMs = Math.max(slowestPingMs, performance.now() - began);
      serverBytes = Math.max(serverBytes, residentBytes(framehold.pid) - before);
      workerBytes = Math.max(workerBytes, ...childrenOf(framehold.pid).map(residentBytes));
      await timePasses(everyMs, 'between two looks');
    }
  })();
  try {
    await work();
  } finally {
    ended = true;
    await pinging;
  }
  return { pings, slowestPingMs: Math.round(slowestPingMs), serverBytes, workerBytes };
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
