import { FrameholdError } from '../../model/errors.ts';
import { isLive, type NameRow, remembered } from '../name-rows.ts';
import { frameGone, frameNotFound, withVersions } from '../refusals.ts';

/** How many versions are listed to suggest one: mostly they follow each other, and are shown as one run. */
export const listedVersionsMax = 1_000;

/** A name whose version is wanted, whether it is live or not. */
export function requireSpelling(
  row: NameRow | undefined,
  name: string,
  version: number,
  now: number,
): NameRow {
  if (row?.name === name) return row;
  throw frameNotFound(name, version, isLive(row, now) ? row.name : null);
}

/** A version of an expired name is there until the name is swept, but nobody gets it. */
export function requireUnexpired(row: NameRow, version: number, now: number): void {
  if (isLive(row, now)) return;
  const expiredAt = row.expires_at ?? 0;
  throw remembered(expiredAt, now)
    ? frameGone(row.name, version, 'expired', expiredAt)
    : frameNotFound(row.name, version);
}

/** Whether to suggest other versions, of a name that does not have the one that is wanted. */
export function suggestsVersions(absence: Error, row: NameRow, now: number): absence is FrameholdError {
  return isLive(row, now) && absence instanceof FrameholdError;
}

/** `newest` are up to `listedVersionsMax` versions of the name, the newest first. */
export function suggesting(absence: FrameholdError, row: NameRow, newest: readonly number[]): FrameholdError {
  return withVersions(absence, row.name, newest, newest.length < listedVersionsMax);
}
