import { isLive, type NameRow, nameAbsence } from '../name-rows.ts';
import { frameNotFound, nameConflict, nameInUse } from '../refusals.ts';

/** A dropped name that is kept. */
export interface DroppedRow {
  readonly id: number;
  readonly name_id: number;
  readonly name: string;
  readonly expires_at: number | null;
  readonly versions_keep: number | null;
}

export interface UndropWrites {
  readonly dropped: DroppedRow;
  /** A later frame of the name that has expired and was not swept yet: it ends first, as of its expiry. */
  readonly expired: NameRow | null;
}

/** The name, if nothing that is live is in the way. */
export function requireNotLive(row: NameRow | undefined, name: string, now: number): NameRow {
  if (!row) throw frameNotFound(name, null);
  if (!isLive(row, now)) return row;
  throw row.name === name ? nameInUse(name, row.newest) : nameConflict(name, row.name);
}

/** `dropped` is the last drop of this spelling that can still come back. */
export function undropOf(
  row: NameRow,
  name: string,
  dropped: DroppedRow | undefined,
  now: number,
): UndropWrites {
  if (!dropped) throw nameAbsence(row, name, now);
  return { dropped, expired: row.newest === null ? null : row };
}
