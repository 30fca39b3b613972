import type { Caller } from '../../model/caller.ts';
import { FrameholdError, isAbsent } from '../../model/errors.ts';
import { expectedOf, isExpected } from '../../model/expected-version.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { VersionCatalog } from '../../ports/catalog/versions.ts';
import type { PutTarget, VersionGuard } from '../frames.ts';

interface ConditionDependencies {
  readonly catalog: Pick<VersionCatalog, 'resolve'>;
  readonly now: () => number;
}

/** A UUID or a hash with a prefix fits, and the catalog stores few bytes for each key. */
const idempotencyKeyLengthMax = 255;

/** Refuses early, before the bytes come, what the commit would refuse. The commit decides. Answers the version that must be the newest then. */
export async function checkPutConditions(
  { catalog, now }: ConditionDependencies,
  caller: Caller,
  name: string,
  target: PutTarget,
): Promise<Pick<PutTarget, 'ifVersion'>> {
  let newest: VersionRecord | null = null;
  let absence: unknown = null;
  try {
    newest = await catalog.resolve(caller.tenant, name, null, now());
  } catch (error) {
    if (!isAbsent(error)) throw error;
    absence = error;
  }
  const wanted = target.ifMatch?.allows(newest) ?? target.ifVersion;
  if (newest === null && target.mode === 'append') throw absence;
  if (newest !== null && target.mode === 'create') throw frameExists(newest);
  if (wanted === undefined) return {};
  if (newest === null || !isExpected(newest, wanted))
    throw versionMismatch(name, newest?.version ?? null, wanted.version);
  return { ifVersion: expectedOf(newest) };
}

/** Whether the commit will refuse the rows, or knows their key: whether they fit this version says nothing then. */
export function isOtherBase(base: VersionRecord, { ifVersion }: PutTarget): boolean {
  return ifVersion !== undefined && !isExpected(base, ifVersion);
}

/** The version, by its number. */
export function numberGuard(version: number): VersionGuard {
  return {
    text: String(version),
    allows(newest) {
      if (newest?.version === version) return expectedOf(newest);
      throw versionMismatch(newest?.name ?? null, newest?.version ?? null, version);
    },
  };
}

export function checkIdempotencyKey(key: string): void {
  if (key.length >= 1 && key.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(key)) return;
  throw new FrameholdError('bad_request', 'The idempotency key is not usable.', {
    hint: `Give 1 to ${idempotencyKeyLengthMax} printable ASCII characters without spaces.`,
  });
}

function frameExists(newest: VersionRecord): FrameholdError {
  return new FrameholdError(
    'frame_exists',
    `The frame ${newest.name} exists, at version ${newest.version}.`,
    {
      hint: 'Replace it, append to it, or choose another name.',
    },
  );
}

function versionMismatch(name: string | null, newest: number | null, wanted: number): FrameholdError {
  const frame = name ?? 'of this name';
  const state =
    newest === null ? `There is no frame ${frame}` : `The newest version of ${frame} is ${newest}`;
  return new FrameholdError('version_mismatch', `${state}, and the request wants version ${wanted}.`, {
    hint: 'Read the newest version and repeat the change.',
  });
}
