import type { KnownDamage } from '../ports/catalog/integrity.ts';
import { checkObjects, type FoundFault, type ScrubDependencies } from './scrub.ts';

/** What a look at everything in a data directory has found. */
export interface VerifyReport {
  readonly objects: number;
  readonly bytes: number;
  readonly faults: readonly VerifyFault[];
  /** What was found damaged and removed before this look; it is told again for 30 days. No fault any more. */
  readonly removedEarlier: readonly KnownDamage[];
  /** What was quarantined before, and now has the bytes again that were put. */
  readonly restored: readonly KnownDamage[];
  /** Stored objects that the catalog does not know: left by a change that was cut off, removed when they are two days old. No fault. */
  readonly orphans: readonly string[];
  /** What SQLite finds wrong with the catalog's file. */
  readonly catalog: readonly string[];
}

export interface VerifyFault extends FoundFault {
  /** When it was first found, in milliseconds since 1970; null: now. */
  readonly since: number | null;
}

/** Compares every object with the catalog. Faults are remembered in the catalog, as the server's own scrub does. */
export async function verifyEverything(
  dependencies: ScrubDependencies,
  progress: (objects: number, bytes: number) => void,
  signal: AbortSignal,
): Promise<VerifyReport> {
  const catalog = await catalogFaults(dependencies);
  // A catalog that is damaged itself says nothing sure about the objects, and is not written to.
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
  const stillDamaged = new Set((await dependencies.catalog.knownDamage()).map(({ key }) => key));
  return {
    objects,
    bytes,
    faults,
    removedEarlier: before.filter(({ removed }) => removed),
    restored: before.filter(({ key, removed }) => !removed && !stillDamaged.has(key)),
    orphans: await orphansOf(dependencies),
    catalog,
  };
}

/** Where the catalog itself cannot be trusted. */
export function nothingVerified(catalog: readonly string[]): VerifyReport {
  return { objects: 0, bytes: 0, faults: [], removedEarlier: [], restored: [], orphans: [], catalog };
}

async function catalogFaults({ catalog }: ScrubDependencies): Promise<readonly string[]> {
  try {
    return await catalog.integrity();
  } catch (error) {
    // SQLite gives up on some pages before it has a list.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause)];
  }
}

async function orphansOf({ catalog, store }: ScrubDependencies): Promise<string[]> {
  const orphans: string[] = [];
  for await (const keys of store.list()) {
    const known = new Set(await catalog.known(keys));
    orphans.push(...keys.filter((key) => !known.has(key)));
  }
  return orphans;
}
