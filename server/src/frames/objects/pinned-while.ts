import type { Clock } from '../../model/clock.ts';
import { orderedId } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import { storedVersion } from '../../model/version-slice.ts';
import type { JobPinKind, PinCatalog } from '../../ports/catalog/pins.ts';

interface PinnedWhileDependencies {
  readonly catalog: Pick<PinCatalog, 'pinForJob' | 'unpinForJob'>;
  readonly now: Clock;
}

/** Most versions are opened at once, or prepared in less: these write nothing. */
const pinAfterMs = 5_000;
/** The longest work that pins. A process that dies leaves its pin for so long. */
const pinMs = 60 * 60 * 1000;

/**
 * Work that prepares a version before it can open it, perhaps for minutes: the version stays meanwhile. What is open needs no pin: its objects are
 * held (`ObjectReader`).
 */
export async function pinnedWhile<Value>(
  { catalog, now }: PinnedWhileDependencies,
  record: VersionRecord,
  kind: JobPinKind,
  work: () => Promise<Value>,
  afterMs = pinAfterMs,
): Promise<Value> {
  const { tenant, name } = record;
  const { version, versionId } = storedVersion(record);
  const id = orderedId();
  let pinning: Promise<void> | null = null;
  const timer = setTimeout(() => {
    const pin = { id, tenant, name, version, versionId, kind, until: now() + pinMs };
    // If it cannot be pinned because it has ended, the work finds out by itself.
    pinning = catalog.pinForJob(pin, now()).catch(() => {});
  }, afterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (pinning !== null) {
      await pinning;
      await catalog.unpinForJob(id, now()).catch(() => {});
    }
  }
}
