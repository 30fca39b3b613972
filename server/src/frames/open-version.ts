import { frameDamaged } from './frame-damaged.ts';
import type { Leases } from './leases.ts';
import type { ObjectGuard } from './object-guard.ts';
import { openObjects } from './open-objects.ts';
import type { Catalog } from './ports/catalog/catalog.ts';
import type { ObjectStore } from './ports/object-store.ts';
import type { PartSource } from './reading.ts';
import type { PartForm, PartRecord, StoredObject, VersionRecord } from './version.ts';

export interface OpenVersionParts {
  readonly catalog: Pick<Catalog, 'parts'>;
  readonly store: ObjectStore;
  readonly leases: Leases;
  readonly guard: ObjectGuard;
}

export interface OpenedVersion {
  readonly objects: readonly StoredObject[];
  readonly sources: readonly PartSource[];
  readonly release: () => void;
}

/** A part has two forms: each may be found damaged once, then there is none left to find. */
const openTriesMax = 3;

/** Leases the objects of a version and finds their files; tries again if one is found damaged and the catalog names another form. */
export async function openVersion(
  dependencies: OpenVersionParts,
  record: VersionRecord,
  signal: AbortSignal,
): Promise<OpenedVersion> {
  const { catalog, leases } = dependencies;
  for (let tries = 1; tries <= openTriesMax; tries++) {
    const parts = await catalog.parts(record.tenant, record.name, record.version);
    // Taken in the same turn in which the catalog answered: the collector looks at the leases in a later one.
    const objects = parts.flatMap(readObjects);
    const release = leases.take(objects.map(({ key }) => key));
    try {
      signal.throwIfAborted();
      if (parts.some((part) => readForm(part) === undefined)) throw frameDamaged(record);
      const opened = await openSources(dependencies, parts, objects, signal);
      if (opened !== null)
        return {
          objects,
          sources: opened.sources,
          release: () => {
            opened.release();
            release();
          },
        };
    } catch (error) {
      release();
      throw error;
    }
    release();
  }
  throw frameDamaged(record);
}

/** null if an object was found damaged just now: the catalog then names other forms, or none. */
async function openSources(
  { store, guard }: OpenVersionParts,
  parts: readonly PartRecord[],
  objects: readonly StoredObject[],
  signal: AbortSignal,
): Promise<Pick<OpenedVersion, 'sources' | 'release'> | null> {
  if (!(await guard.admit(objects, signal))) return null;
  try {
    const { paths, release } = await openObjects(store, objects);
    return { sources: sourcesOf(parts, paths), release };
  } catch (error) {
    if (await guard.examine(objects)) return null;
    throw error;
  }
}

function readForm(part: PartRecord): PartForm | undefined {
  const sound = part.forms.filter((form) => form.exact && !form.damaged);
  return sound.find((form) => form.kind === 'arrow') ?? sound[0];
}

function readObjects(part: PartRecord): readonly StoredObject[] {
  return readForm(part)?.objects ?? [];
}

/** `paths` are those of the parts' objects, one after the other. */
function sourcesOf(parts: readonly PartRecord[], paths: readonly string[]): readonly PartSource[] {
  let next = 0;
  return parts.map((part) => {
    const form = readForm(part);
    const files = paths.slice(next, next + (form?.objects.length ?? 0));
    next += files.length;
    return form?.kind === 'arrow'
      ? { rows: part.rows, arrow: files[0] ?? null, parquet: null }
      : { rows: part.rows, arrow: null, parquet: files };
  });
}
