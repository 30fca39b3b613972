import type { PartForm, PartRecord, StoredObject } from './version.ts';

/** Which form of a part may be read, and for what. Damaged forms never are. */

/** The form that gives back the rows exactly, for readers and for compaction: Arrow if it exists. undefined: the part is damaged. */
export function exactForm(part: PartRecord): PartForm | undefined {
  return arrowForm(part) ?? part.forms.find((form) => form.exact && isSound(form));
}

/** The Parquet form, if it gives back the rows exactly: an export can copy it. */
export function exactParquetForm(part: PartRecord): PartForm | undefined {
  return part.forms.find((form) => form.kind === 'parquet' && form.exact && isSound(form));
}

/** Of each part only the last file may be small; a reader of one file with many small row groups would be slow. */
const smallFilesMax = 4;

/** Whether so many files of so many parts make good row groups of one file. */
export function fillRowGroups(parts: number, files: number): boolean {
  return parts <= smallFilesMax + files / 2;
}

/** The form that SQL reads. It need not be exact: the types that Parquet changes are known, and SQL rejects their columns. undefined: not transcoded. */
export function parquetForm(part: PartRecord): PartForm | undefined {
  return part.forms.find((form) => form.kind === 'parquet' && isSound(form));
}

/** The form that transcoding starts from. */
export function arrowForm(part: PartRecord): PartForm | undefined {
  return part.forms.find((form) => form.kind === 'arrow' && isSound(form));
}

/** The objects of the form that is read; none if the part is damaged. */
export function exactObjects(part: PartRecord): readonly StoredObject[] {
  return exactForm(part)?.objects ?? [];
}

function isSound(form: PartForm): boolean {
  return form.damaged !== true;
}
