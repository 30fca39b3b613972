import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { exactForm, exactObjects } from '../parts/part-forms.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { PartsBetween } from '../ports/catalog/versions.ts';
import type { PartRecord, StoredObject, VersionRecord } from '../version.ts';
import { frameDamaged } from './frame-damaged.ts';
import type { PartSource } from './reading.ts';

export interface OpenVersionDependencies {
  readonly catalog: Pick<Catalog, 'parts' | 'partsBetween'>;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
}

/** Rows of a version. */
export interface VersionRange {
  readonly offset: number;
  readonly rowCount: number;
}

export interface OpenedVersion {
  /** Rows of the version before those of the first source. */
  readonly rowsBefore: number;
  readonly objects: readonly StoredObject[];
  readonly sources: readonly PartSource[];
  readonly release: () => void;
}

/** A part has two forms: each may be found damaged once, then there is none left to find. */
const openTriesMax = 3;

/** Opens the files of a version, or only those that hold some of its rows. If one has gone or is found damaged, the catalog is asked again: it names another form, or none. */
export async function openVersion(
  { catalog, reader, guard }: OpenVersionDependencies,
  record: VersionRecord,
  signal: AbortSignal,
  range?: VersionRange,
): Promise<OpenedVersion> {
  for (let tries = 1; tries <= openTriesMax; tries++) {
    const { parts, rowsBefore } = await partsOf(catalog, record, range);
    signal.throwIfAborted();
    if (parts.some((part) => exactForm(part) === undefined)) throw frameDamaged(record);
    const objects = parts.flatMap(exactObjects);
    if (!(await guard.admit(objects, signal))) continue;
    try {
      const { paths, release } = await reader.open(objects, signal);
      return { objects, sources: sourcesOf(parts, paths), rowsBefore, release };
    } catch (error) {
      if (!(await guard.explains(error, objects))) throw error;
    }
  }
  throw frameDamaged(record);
}

async function partsOf(
  catalog: OpenVersionDependencies['catalog'],
  { tenant, name, version, rows }: VersionRecord,
  range: VersionRange | undefined,
): Promise<PartsBetween> {
  if (range === undefined || range.rowCount === rows)
    return { rowsBefore: 0, parts: await catalog.parts(tenant, name, version) };
  return catalog.partsBetween(tenant, name, version, range.offset, range.offset + range.rowCount);
}

/** `paths` are those of the parts' objects, one after the other. */
function sourcesOf(parts: readonly PartRecord[], paths: readonly string[]): readonly PartSource[] {
  let next = 0;
  return parts.map((part) => {
    const kind = exactForm(part)?.kind ?? 'arrow';
    const files = paths.slice(next, next + exactObjects(part).length);
    next += files.length;
    const bytes = exactObjects(part).reduce((sum, object) => sum + object.bytes, 0);
    return { rows: part.rows, kind, paths: files, bytes };
  });
}
