import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startOwnClock } from '../stolen-time.ts';
import type { PartResult } from './kept-results.ts';
import type { Part } from './parts.ts';
import { testCounts } from './test-counts.ts';

/** Tests stop their servers first. */
const graceMs = 30_000;
const checkEveryMs = 2_000;

/** Runs a part, with its output in a file. Null if it was interrupted: then it has no result. */
export async function runPart(
  part: Part,
  place: { readonly root: string; readonly log: string; readonly commit: string | null },
  interrupted: AbortSignal,
): Promise<PartResult | null> {
  const [program, ...args] = part.command;
  const began = performance.now();
  const clock = startOwnClock();
  const output = openSync(place.log, 'w');
  const child = spawn(program, args, {
    cwd: place.root,
    env: { ...process.env, ...part.environment },
    stdio: ['ignore', output, output],
    // A group of its own, so that all that it has started can be ended.
    detached: true,
  });
  closeSync(output);
  let killed: NodeJS.Timeout | undefined;
  const end = () => {
    if (killed !== undefined) return;
    signalGroup(child.pid, 'SIGTERM');
    killed = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
  };
  interrupted.addEventListener('abort', end, { once: true });
  const checks = setInterval(() => clock() > part.limitMs && end(), Math.min(checkEveryMs, part.limitMs / 2));
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      appendFileSync(place.log, `${error.message}\n`);
      resolve(null);
    });
    child.on('exit', resolve);
  });
  clearInterval(checks);
  interrupted.removeEventListener('abort', end);
  // What was told to end may take its time; what was left behind without that would disturb the next part.
  if (killed === undefined) signalGroup(child.pid, 'SIGKILL');
  for (const deadline = Date.now() + graceMs; Date.now() < deadline && signalGroup(child.pid, 0); )
    await delay(100);
  clearTimeout(killed);
  if (interrupted.aborted) return null;
  return {
    part: part.name,
    commit: place.commit,
    isPassed: code === 0,
    seconds: Math.round((performance.now() - began) / 1_000),
    endedAt: new Date().toISOString(),
    tests: testCounts(readFileSync(place.log, 'utf8')),
  };
}

/** Whether there was still somebody to hear it. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}
