import type { IntegrityCatalog, KnownDamage } from '../../ports/catalog/integrity.ts';
import type { MaintenanceCatalog } from '../../ports/catalog/maintenance.ts';
import { checkObjects, type FoundFault, type ScrubDependencies } from './scrub.ts';

/** The result of a check of a whole data directory. */
export interface VerifyReport {
  readonly objects: number;
  readonly bytes: number;
  readonly faults: readonly VerifyFault[];
  /** Found damaged and removed earlier; listed for 30 days. No longer a fault. */
  readonly removedEarlier: readonly KnownDamage[];
  /** Quarantined earlier, and sound again. */
  readonly restored: readonly KnownDamage[];
  /** Found damaged earlier; their forms were made again, and nothing reads them. No longer a fault. */
  readonly replaced: readonly KnownDamage[];
  /** Stored objects that the catalog does not know: left by an interrupted change, removed when they are two days old. Not a fault. */
  readonly orphans: readonly string[];
  /** What is wrong with the catalog itself. */
  readonly catalog: readonly string[];
  /** False: a server runs on the data directory, and faults were reported and not recorded. */
  readonly recorded: boolean;
}

export interface VerifyFault extends FoundFault {
  /** When it was first found, in milliseconds since 1970; null: now. */
  readonly since: number | null;
}

interface VerifyDependencies extends ScrubDependencies {
  readonly catalog: IntegrityCatalog & Pick<MaintenanceCatalog, 'known'>;
}

/** Compares every object with the catalog. Faults are recorded in the catalog, as by the server's scrub. */
export async function verifyEverything(
  dependencies: VerifyDependencies,
  progress: (objects: number, bytes: number) => void,
  signal: AbortSignal,
): Promise<Omit<VerifyReport, 'recorded'>> {
  const catalog = await catalogFaults(dependencies);
  // A damaged catalog says nothing certain about the objects, and is not written to.
  if (catalog.length > 0) return nothingVerified(catalog);
  const before = await dependencies.catalog.knownDamage();
  const since = new Map(before.map(({ key, foundAt }) => [key, foundAt]));
  const faults: VerifyFault[] = [];
  let [objects, bytes] = [0, 0];
  for await (const page of checkObjects(dependencies, null, null, signal)) {
    objects += page.objects.length;
    bytes += page.objects.reduce((sum, object) => sum + object.bytes, 0);
    faults.push(...page.faults.map((fault) => ({ ...fault, since: since.get(fault.key) ?? null })));
    progress(objects, bytes);
  }
  const known = await dependencies.catalog.knownDamage();
  const stillDamaged = new Set(known.map(({ key }) => key));
  return {
    objects,
    bytes,
    faults,
    removedEarlier: known.filter(({ state }) => state === 'removed'),
    restored: before.filter(({ key, state }) => state === 'quarantined' && !stillDamaged.has(key)),
    replaced: known.filter(({ state }) => state === 'replaced'),
    orphans: await orphansOf(dependencies),
    catalog,
  };
}

/** The report if the catalog itself cannot be trusted. */
export function nothingVerified(catalog: readonly string[]): VerifyReport {
  return {
    objects: 0,
    bytes: 0,
    faults: [],
    removedEarlier: [],
    restored: [],
    replaced: [],
    orphans: [],
    catalog,
    recorded: false,
  };
}

async function catalogFaults({ catalog }: VerifyDependencies): Promise<readonly string[]> {
  try {
    return await catalog.integrity();
  } catch (error) {
    // SQLite gives up on some pages before it has a list.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause)];
  }
}

async function orphansOf({ catalog, store }: VerifyDependencies): Promise<string[]> {
  const orphans: string[] = [];
  for await (const keys of store.list()) {
    const known = new Set(await catalog.known(keys));
    orphans.push(...keys.filter((key) => !known.has(key)));
  }
  return orphans;
}
