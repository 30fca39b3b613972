import type { KnownDamage } from '../frames/ports/catalog/integrity.ts';
import type { PartForm } from '../frames/version.ts';

/** A version that has the object. */
export interface UseRow {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
}

export interface DamageRow {
  readonly key: string;
  readonly fault: string;
  readonly found_at: number;
}

/** The part that has the object. */
export interface OwnerRow {
  readonly part_id: string;
  readonly kind: PartForm['kind'];
}

/** Versions listed for a damaged object: enough to see what is affected, not a page of numbers. */
export const usesMax = 100;
/** As long as versions that have ended are remembered. */
export const removedKeptMs = 30 * 86_400_000;
export const removedKeptMax = 1_000;
/** More than this is a lost disk or a lost bucket. */
export const quarantinedMax = 10_000;
export const refusalOfDamage = 'damaged: its Arrow form has other bytes than it was given';

/** As `tenant/name@versions`; the rows are in the order of their versions. */
export function describeUses(rows: Iterable<UseRow>): string[] {
  const versions = new Map<string, number[]>();
  for (const { tenant, name, version } of rows) {
    const frame = `${tenant}/${name}`;
    versions.set(frame, [...(versions.get(frame) ?? []), version]);
  }
  return [...versions].map(([frame, numbers]) => `${frame}@${numbers.join(',')}`);
}

/** Damaged objects that are kept, and those that were removed, by the time at which they were found. */
export function knownDamageOf(
  quarantined: readonly DamageRow[],
  usesOf: (key: string) => readonly string[],
  removed: readonly (DamageRow & { readonly frames: string })[],
): KnownDamage[] {
  const known = [
    ...quarantined.map((row) => knownOf(row, usesOf(row.key), false)),
    ...removed.map((row) => knownOf(row, JSON.parse(row.frames) as string[], true)),
  ];
  return known.sort((one, other) => one.foundAt - other.foundAt);
}

function knownOf(
  { key, fault, found_at: foundAt }: DamageRow,
  frames: readonly string[],
  removed: boolean,
): KnownDamage {
  return { key, fault, frames, foundAt, removed };
}
