import type { EndedVersion } from './version-runs.ts';

/** Until when something pins a version. */
export interface PinEnd {
  readonly version: number;
  readonly until: number;
}

export interface Pruning {
  readonly ended: readonly EndedVersion[];
  /** Oldest first. Versions that are not surplus are newer than all of these. */
  readonly left: readonly number[];
  /** When the first of those that are left may end; null if none is. */
  readonly pinsUntil: number | null;
}

/** Which surplus versions end now, and which are left because they are pinned. A version has one entry in `pins` at most: its last. */
export function pruningOf(surplus: readonly EndedVersion[], pins: readonly PinEnd[]): Pruning {
  const untils = new Map(pins.map(({ version, until }) => [version, until]));
  const ended = surplus.filter(({ version }) => !untils.has(version));
  const left = surplus.filter(({ version }) => untils.has(version)).map(({ version }) => version);
  const ends = left.map((version) => untils.get(version) as number);
  return { ended, left, pinsUntil: ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b)) };
}
