import { goneKeptMs } from './memory-times.ts';
import { type EndReason, frameGone, frameNotFound } from './refusals.ts';

/** Names as they are in tables, and why one is not available. */

export interface NameRow {
  readonly id: number;
  readonly tenant: string;
  readonly name: string;
  readonly frame_id: string;
  readonly next_version: number;
  readonly newest: number | null;
  readonly kept: number;
  readonly expires_at: number | null;
  readonly ended_reason: EndReason | null;
  readonly ended_at: number | null;
  /** How often it came back after a drop. */
  readonly life: number;
  /** null: as many versions are kept as the server keeps of all names. */
  readonly versions_keep: number | null;
}

export interface LiveName extends NameRow {
  readonly newest: number;
}

/** A run of ended versions. */
export interface Tombstone {
  readonly first: number;
  readonly reason: EndReason;
  readonly ended_at: number;
}

/** An expired name is not live, whether it has been swept or not. */
export function isLive(row: NameRow | undefined, now: number): row is LiveName {
  return row !== undefined && row.newest !== null && (row.expires_at === null || row.expires_at > now);
}

export function requireLiveRow(row: NameRow | undefined, name: string, now: number): LiveName {
  if (isLive(row, now) && row.name === name) return row;
  throw nameAbsence(row, name, now);
}

/** Why a name that is not live under this spelling is not available. */
export function nameAbsence(row: NameRow | undefined, name: string, now: number): Error {
  if (!row) return frameNotFound(name, null);
  if (row.name !== name) return frameNotFound(name, null, isLive(row, now) ? row.name : null);
  const [reason, endedAt] =
    row.newest === null
      ? [row.ended_reason ?? 'dropped', row.ended_at ?? 0]
      : (['expired', row.expires_at ?? 0] as const);
  return remembered(endedAt, now) ? frameGone(name, null, reason, endedAt) : frameNotFound(name, null);
}

/** Why a version of a known name is not available, by the tombstone that ends at it or after it. `now` is null if any memory counts. */
export function versionAbsence(
  row: NameRow,
  version: number,
  tombstone: Tombstone | undefined,
  now: number | null,
): Error {
  if (!tombstone || tombstone.first > version || !remembered(tombstone.ended_at, now))
    return frameNotFound(row.name, version);
  return frameGone(row.name, version, tombstone.reason, tombstone.ended_at);
}

export function remembered(endedAt: number, now: number | null): boolean {
  return now === null || now < endedAt + goneKeptMs;
}
