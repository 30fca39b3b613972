/** What the kernel knows of a process. Linux only. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel counts processor time in hundredths of a second on every Linux that Node runs on. */
const ticksPerSecond = 100;

export function residentMegabytes(pid: number): number {
  return statusMegabytes(pid, 'VmRSS');
}

/** The most it ever had. */
export function peakMegabytes(pid: number): number {
  return statusMegabytes(pid, 'VmHWM');
}

/** Processor seconds used so far, all threads. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** What its open descriptors point to. */
export function descriptors(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((each) => {
    try {
      return [readlinkSync(join(folder, each))];
    } catch {
      return []; // closed since it was listed
    }
  });
}

/** Files below a folder, and their bytes. What goes away meanwhile is not counted. */
export function filesBelow(folder: string): { readonly count: number; readonly bytes: number } {
  let count = 0;
  let bytes = 0;
  let names: string[] = [];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return { count, bytes };
  }
  for (const name of names) {
    try {
      const entry = statSync(join(folder, name));
      if (!entry.isFile()) continue;
      count += 1;
      bytes += entry.size;
    } catch {}
  }
  return { count, bytes };
}

function statusMegabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
}
