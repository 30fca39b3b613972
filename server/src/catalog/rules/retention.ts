import type { NameRow } from '../name-rows.ts';
import type { EndedVersion } from './ended-versions.ts';

/** Until when something pins a version. */
export interface PinEnd {
  readonly version: number;
  readonly until: number;
}

/** What a prune has left of the surplus, because it is pinned. */
export interface Pinned {
  /** Oldest first. Versions that are not surplus are newer than all of these. */
  readonly left: readonly number[];
  /** When the first of those that are left may end; null if none is. */
  readonly pinsUntil: number | null;
}

export interface Pruning extends Pinned {
  readonly ended: readonly EndedVersion[];
}

/** How a sweep finds names with versions that may end. `limit` is what their column is compared with. */
export interface PruningRound {
  readonly due: 'surplus' | 'own surplus' | 'age' | 'pins';
  readonly limit: number;
}

export interface Retention {
  /** Versions of a name without a setting that are kept: the newest always. */
  readonly keep: number;
  /** null: versions of any age are kept. */
  readonly since: number | null;
}

export function retentionOf(versionsKeep: number, since: number | null): Retention {
  return { keep: Math.max(1, versionsKeep), since };
}

/** In this order: each round looks at what those before it have left. */
export function pruningRounds({ keep, since }: Retention, now: number): readonly PruningRound[] {
  return [
    { due: 'surplus', limit: keep },
    { due: 'own surplus', limit: keep },
    ...(since === null ? [] : [{ due: 'age', limit: since } as const]),
    { due: 'pins', limit: now },
  ];
}

/** How many versions of this name are kept. */
export function versionsKept(name: NameRow, { keep }: Retention): number {
  return name.versions_keep ?? keep;
}

/** Which surplus versions end now, and which are left because they are pinned. A version has one entry in `pins` at most: its last. */
export function pruningOf(surplus: readonly EndedVersion[], pins: readonly PinEnd[]): Pruning {
  const untils = new Map(pins.map(({ version, until }) => [version, until]));
  const ended = surplus.filter(({ version }) => !untils.has(version));
  const left = surplus.filter(({ version }) => untils.has(version)).map(({ version }) => version);
  const ends = left.map((version) => untils.get(version) as number);
  return { ended, left, pinsUntil: ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b)) };
}
