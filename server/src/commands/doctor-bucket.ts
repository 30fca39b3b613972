import { lookAtBucket } from '../compose/store.ts';
import type { Settings } from '../config/settings.ts';
import { FrameholdError } from '../model/errors.ts';
import type { ClusterIdentity } from '../ports/cluster-identity.ts';
import { type Finding, found, problem, warning } from './finding.ts';

/** For anything that should answer at once. */
const waitMs = 5_000;
const check = 'bucket';

/** Nothing is written: whether the keys may write shows when a node starts. `catalog`: null if its tables are not there yet, unknown if it does not answer. */
export async function examineBucket(
  settings: Settings,
  catalog: ClusterIdentity | null | 'unknown',
): Promise<Finding> {
  const place = settings['storage.url'] ?? '';
  try {
    const { identity, isEmpty } = await lookAtBucket(settings, AbortSignal.timeout(waitMs));
    if (catalog === 'unknown') return found(check, `${place} answers`);
    if (identity !== null && identity.catalogId === catalog?.catalogId)
      return found(check, `${place} answers, and belongs to this catalog`);
    if (identity !== null || (catalog !== null && catalog.epoch > 1))
      return problem(
        check,
        `${place} ${identity === null ? 'has no identity of this catalog, which is in use' : 'belongs to another catalog'}.`,
        'Compare catalog.url and storage.url with those of the other nodes. A new catalog needs an empty bucket or prefix.',
      );
    if (isEmpty) return found(check, `${place} answers, and is empty: the first node takes it`);
    return warning(
      check,
      `${place} has objects, but no catalog has used it.`,
      'Nothing else may use this place: give storage.url a prefix of its own, as in s3://bucket/prefix.',
    );
  } catch (error) {
    return failed(error, new URL(place).host, settings['storage.s3_endpoint'] ?? 'AWS');
  }
}

function failed(error: unknown, bucket: string, where: string): Finding {
  const { name } = (error instanceof FrameholdError ? error.cause : error) as Error;
  if (name === 'NoSuchBucket')
    return problem(
      check,
      `${where} has no bucket ${bucket}.`,
      'Create it (docs/guides/many-nodes.md has a command), or correct storage.url.',
    );
  if (name === 'TimeoutError' || !(error instanceof FrameholdError))
    return problem(
      check,
      `${where} has not answered within ${waitMs / 1_000} s.`,
      'Check that it runs, and storage.s3_endpoint.',
    );
  return problem(
    check,
    error.message,
    error.hint ?? 'Check storage.url, storage.s3_endpoint and the credentials.',
  );
}
