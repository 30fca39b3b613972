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
