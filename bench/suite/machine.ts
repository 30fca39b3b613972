import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Where and when something was measured: figures of two machines, or of a quiet and a busy one, say little about each other. */
export interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly node: string;
  /** Processes that were ready to run when the run began, as an average of a minute. */
  readonly load: number;
}

export function thisMachine(): Machine {
  return {
    at: new Date().toISOString(),
    commit: commit(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.version,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

export function machineText({ at, commit, processor, cores, memoryGigabytes, node, load }: Machine): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${cores} × ${processor}, ${memoryGigabytes} GB, Node ${node}, load ${load} at the start`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown'; // not a clone
  }
}
