import type { Caller } from '../access/caller.ts';
import { FrameholdError, isAbsent } from '../errors.ts';
import type { PutTarget } from '../frames.ts';
import type { VersionRecord } from '../version.ts';
import type { PutDependencies } from './put.ts';

const idempotencyKeyLengthMax = 255;

/** Refuses early, before the bytes come, what the commit would refuse. The commit decides. */
export async function checkPutConditions(
  { catalog, now }: Pick<PutDependencies, 'catalog' | 'now'>,
  caller: Caller,
  name: string,
  target: PutTarget,
): Promise<void> {
  let newest: VersionRecord | null = null;
  try {
    newest = await catalog.resolve(caller.tenant, name, null, now());
  } catch (error) {
    if (!isAbsent(error) || target.mode === 'append') throw error;
  }
  if (newest !== null && target.mode === 'create') throw frameExists(newest);
  if (target.ifVersion !== undefined && newest?.version !== target.ifVersion)
    throw versionMismatch(name, newest?.version ?? null, target.ifVersion);
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

function versionMismatch(name: string, newest: number | null, wanted: number): FrameholdError {
  const state = newest === null ? `There is no frame ${name}` : `The newest version of ${name} is ${newest}`;
  return new FrameholdError('version_mismatch', `${state}, and the request wants version ${wanted}.`, {
    hint: 'Read the frame again and decide with its newest version.',
  });
}
