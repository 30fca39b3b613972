import { exactForm } from '../model/part-forms.ts';
import type { PartRecord, StoredObject } from '../model/version.ts';
import type { KnownDamage, QuarantinedObject } from '../ports/catalog/integrity.ts';
import { type ObjectRow, replacedKind } from './part-rows.ts';

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

/** One that is kept. */
export interface KeptDamageRow extends DamageRow {
  /** null: no part has it any more. */
  readonly kind: ObjectRow['kind'] | null;
}

/** The part that has the object. */
export interface OwnerRow {
  readonly part_id: string;
  readonly kind: ObjectRow['kind'];
}

/** A damaged object as its part has it. */
export interface QuarantinedRow extends StoredObject, OwnerRow {
  readonly found_at: number;
}

/** Parts with a quarantined object: they are not compacted, evicted or compressed anew, because that would remove it. Few, if any. */
export const quarantinedParts = 'SELECT o.part FROM damaged d JOIN objects o ON o.key = d.key';
/** A part without its Parquet form, because that one is damaged, and with what it can be made from. */
export const transcodeAgain = `arrow_bytes IS NOT NULL AND refusal IS NULL
  AND id IN (${quarantinedParts} WHERE o.kind = 'parquet')
  AND id NOT IN (${quarantinedParts} WHERE o.kind = 'arrow')`;
/** Of a sound file of a form that was replaced because of another one. */
export const faultOfOthers = 'replaced: another file of its form was damaged';

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

export function quarantinedOf(row: QuarantinedRow, part: PartRecord | null): QuarantinedObject {
  const { key, bytes, sha256, found_at: foundAt, kind } = row;
  const instead = part === null ? undefined : exactForm(part)?.objects;
  return { key, bytes, sha256, foundAt, isReplaced: kind === replacedKind, instead: instead ?? null };
}

/** Damaged objects that are kept, and those that were removed, by the time at which they were found. */
export function knownDamageOf(
  kept: readonly KeptDamageRow[],
  usesOf: (key: string) => readonly string[],
  removed: readonly (DamageRow & { readonly frames: string })[],
): KnownDamage[] {
  const known = [
    ...kept.map((row) =>
      knownOf(row, usesOf(row.key), row.kind === replacedKind ? 'replaced' : 'quarantined'),
    ),
    ...removed.map((row) => knownOf(row, JSON.parse(row.frames) as string[], 'removed')),
  ];
  return known.sort((one, other) => one.foundAt - other.foundAt);
}

function knownOf(
  { key, fault, found_at: foundAt }: DamageRow,
  frames: readonly string[],
  state: KnownDamage['state'],
): KnownDamage {
  return { key, fault, frames, foundAt, state };
}
