import { createHash } from 'node:crypto';
import type { ReadRange } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import { type ExpectedVersion, expectedOf } from '../../model/expected-version.ts';
import type { VersionSummary } from '../../model/version.ts';
import type { RenderOptions } from '../../ports/renderer.ts';

/** Strong: of a version only the expiry changes and how many versions are kept, which belong to its name. */
export function manifestTag(record: VersionSummary): string {
  const { expiresAt, versionsKeep } = record;
  const expiry = expiresAt === null ? '' : `.${expiresAt}`;
  const keep = versionsKeep === undefined ? '' : `.k${versionsKeep}`;
  return `${versionTag(record).slice(0, -1)}${expiry}${keep}"`;
}

/** The number is for people. */
function versionTag({ versionId, version }: VersionSummary): string {
  return `"${versionId}.${version}"`;
}

/** The tag without what belongs to the name: what guards a change is the version. */
function ofVersion(tag: string): string {
  return tag.replace(/^("[^".]*\.\d+)(\.\d+)?(\.k\d+)?"$/, '$1"');
}

/**
 * Weak: the same rows may come in other bytes (compression, batches). Of columns only a hash: their names may be megabytes, and clients take
 * headers of 8 KiB or 16 KiB in all.
 */
export function rowsTag(
  record: VersionSummary,
  { offset = 0, limit, columns }: ReadRange,
  { format, quoteLargeNumbers }: RenderOptions,
): string {
  const chosen =
    columns === undefined ? '' : createHash('sha256').update(JSON.stringify(columns)).digest('base64url');
  const variant = [format, offset, limit ?? '', quoteLargeNumbers ? 'q' : '', chosen].join('-');
  return `W/"${record.versionId}.${record.version}.${variant}"`;
}

/** A cache sends those that it has of one resource. More are not read: then the full answer is sent, or the change is refused. */
const tagsMax = 100;

/** Whether an If-None-Match or If-Match header names the tag. Weak comparison if `weak` is set. */
export function tagMatches(header: string, tag: string, weak: boolean): boolean {
  const bare = (text: string) => (weak ? text.replace(/^W\//, '') : text);
  return header.split(',', tagsMax).some((piece) => piece.trim() === '*' || bare(piece.trim()) === bare(tag));
}

/** The version that `If-Match` guards, once it was compared with the newest. undefined if there is no such header. */
export function guardedVersion(
  ifMatch: string | undefined,
  newest: VersionSummary | null,
  called = 'The newest version',
): ExpectedVersion | undefined {
  if (ifMatch === undefined) return undefined;
  const guards = ifMatch.split(',', tagsMax).map((piece) => ofVersion(piece.trim()));
  if (newest !== null && tagMatches(guards.join(), versionTag(newest), false)) return expectedOf(newest);
  throw new FrameholdError(
    'version_mismatch',
    newest === null
      ? `${called} does not exist.`
      : `${called} is ${newest.version}, with ETag ${manifestTag(newest)}.`,
    { hint: 'Read it again, and send the ETag that it has.' },
  );
}

/**
 * `name@version` never changes; `name` may point elsewhere a moment later. `isOpen`: if callers differ, what one may read must not be answered from
 * a cache to another; revalidating costs a 304. `hasLink`: a link may be revoked, and what it has read must not come from a cache then.
 */
export function cacheControl(pinned: boolean, isOpen: boolean, hasLink = false): string {
  if (!isOpen || hasLink) return 'private, no-cache';
  return pinned ? 'max-age=31536000, immutable' : 'no-cache';
}
