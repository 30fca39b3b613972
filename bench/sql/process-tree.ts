/** A server together with the processes that it started: engines are processes of their own. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { residentMegabytes } from '../load/process-state.ts';

/** The kernel counts processor time in hundredths of a second on every Linux that Node runs on. */
const ticksPerSecond = 100;

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // ended since it was listed
  }
}

export function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** Of the process, all that it started, and those of them that have ended. */
export function treeCpuSeconds(pid: number): number {
  return [pid, ...descendants(pid)].map(cpuWithEnded).reduce((sum, each) => sum + each, 0);
}

function cpuWithEnded(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}

export interface TreeMemory {
  readonly server: number;
  readonly engines: number;
}

/** Resident megabytes, now. */
export function treeMegabytes(pid: number): TreeMemory {
  const engines = descendants(pid).map((each) => {
    try {
      return residentMegabytes(each) || 0;
    } catch {
      return 0;
    }
  });
  return { server: residentMegabytes(pid), engines: engines.reduce((sum, each) => sum + each, 0) };
}

/** Looks at the memory of a server and its engines until it is stopped. */
export class MemoryWatch {
  readonly samples: TreeMemory[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, everyMs: number) {
    const look = () => this.samples.push(treeMegabytes(pid));
    look();
    this.#timer = setInterval(look, everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  peak(which: keyof TreeMemory): number {
    return Math.max(...this.samples.map((each) => each[which]));
  }

  /** Of server and engines together, at the same moment. */
  get peakOfAll(): number {
    return Math.max(...this.samples.map(({ server, engines }) => server + engines));
  }
}
