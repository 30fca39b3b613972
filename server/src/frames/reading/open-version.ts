import { exactForm, exactParquetForm, fillRowGroups } from '../../model/part-forms.ts';
import type { PartForm, PartRecord, StoredObject, VersionRecord } from '../../model/version.ts';
import type { PartSource } from '../../ports/reading.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { frameDamaged } from './frame-damaged.ts';
import { type PartsCatalog, partsOfRows, type RowsOfRecord } from './parts-of-rows.ts';

export interface OpenVersionDependencies {
  readonly catalog: PartsCatalog;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
}

export interface VersionRange extends RowsOfRecord {
  /** Read the Parquet form, if all parts have an exact one. */
  readonly prefersParquet?: boolean;
}

export interface OpenedVersion {
  /** Rows of the record before those of the first source; below 0 if it begins inside of that. */
  readonly rowsBefore: number;
  readonly objects: readonly StoredObject[];
  readonly sources: readonly PartSource[];
  readonly release: () => void;
}

/** A part has two forms: each may be found damaged once, then one of them sound again. */
const openTriesMax = 4;

/** Opens the files of a version, or only those that hold some of its rows. If one has gone or is found damaged, the catalog is asked again: it names another form, or none. */
export async function openVersion(
  { catalog, reader, guard }: OpenVersionDependencies,
  record: VersionRecord,
  signal: AbortSignal,
  range?: VersionRange,
): Promise<OpenedVersion> {
  for (let tries = 1; tries <= openTriesMax; tries++) {
    const { parts, rowsBefore } = await partsOfRows(catalog, record, range);
    signal.throwIfAborted();
    const forms = formsOf(parts, range?.prefersParquet === true);
    if (forms === null) {
      if (await guard.reconsider(parts.filter((part) => exactForm(part) === undefined))) continue;
      throw frameDamaged(record);
    }
    const objects = forms.flatMap((form) => form.objects);
    if (!(await guard.admit(objects, signal))) continue;
    try {
      const { paths, release } = await reader.open(objects, signal);
      return { objects, sources: sourcesOf(parts, forms, paths), rowsBefore, release };
    } catch (error) {
      if (!(await guard.explains(error, objects))) throw error;
    }
  }
  throw frameDamaged(record);
}

/** The form of each part that is read; null if a part is damaged. */
function formsOf(parts: readonly PartRecord[], prefersParquet: boolean): readonly PartForm[] | null {
  const parquet = prefersParquet ? parts.map(exactParquetForm) : [];
  if (prefersParquet && parquet.every(isThere)) {
    const files = parquet.reduce((sum, { objects }) => sum + objects.length, 0);
    if (fillRowGroups(parts.length, files)) return parquet;
  }
  const forms = parts.map(exactForm);
  return forms.every(isThere) ? forms : null;
}

function isThere(form: PartForm | undefined): form is PartForm {
  return form !== undefined;
}

/** `paths` are those of the forms' objects, one after the other. */
function sourcesOf(
  parts: readonly PartRecord[],
  forms: readonly PartForm[],
  paths: readonly string[],
): readonly PartSource[] {
  let next = 0;
  return forms.map(({ kind, objects }, index) => {
    const files = paths.slice(next, next + objects.length);
    next += files.length;
    const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
    return { rows: (parts[index] as PartRecord).rows, kind, paths: files, bytes };
  });
}
