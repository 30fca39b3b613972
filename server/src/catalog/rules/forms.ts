import type { PartForm } from '../../model/version.ts';
import { firstForm, type NewParquetPart, type NewPart, putBytes } from '../../ports/catalog/versions.ts';
import { formObjects, type ObjectRow, type PartRow } from '../part-rows.ts';

/** A part with its objects, each form's in their order. */
export interface FoundPart extends PartRow {
  readonly objects: readonly ObjectRow[];
}

/** What becomes of a form that somebody has written: it is there already, it came too late to be used, or it becomes this part's. */
export type FormWrites<Part> = 'same' | 'late' | Part;

export interface FormAddition {
  readonly part: FoundPart;
  /** The damaged objects of this form, and those beside them, stay with the part and are none of its forms any more. */
  readonly replacesDamaged: boolean;
}

/** What a part begins with. Bytes that came as Parquet are what they are: the form is exact. */
export function firstFormOf(part: NewPart | NewParquetPart) {
  const form = firstForm(part);
  const bytes = putBytes(part);
  const isArrow = form.kind === 'arrow';
  return { ...form, bytes, arrowBytes: isArrow ? bytes : null, parquetExact: isArrow ? null : 1 };
}

/** A form that the part does not have, or of which an object is damaged. */
export function formAddition(part: FoundPart | undefined, form: PartForm): FormWrites<FormAddition> {
  const keys = part ? formKeys(part, form.kind) : null;
  if (isSame(keys, keysOf(form))) return 'same';
  if (!part || (keys !== null && !isDamaged(part, form.kind))) return 'late';
  return { part, replacesDamaged: keys !== null };
}

/** Another object for an Arrow form that has exactly the object `before`. */
export function arrowReplacement(
  part: FoundPart | undefined,
  before: string,
  packed: string,
): FormWrites<FoundPart> {
  const keys = part ? formKeys(part, 'arrow') : null;
  if (isSame(keys, [packed])) return 'same';
  return part && isSame(keys, [before]) ? part : 'late';
}

/** What the part's column for this form says: the bytes of Arrow, and whether Parquet is exact. */
export function formValue({ kind, objects, exact }: PartForm): number {
  return kind === 'arrow' ? objects.reduce((sum, object) => sum + object.bytes, 0) : Number(exact);
}

/** Damage may have been found since the part was offered: no object of it may be damaged, also none of a form that was replaced. */
export function isEvictable({ arrow_bytes, parquet_exact, objects }: FoundPart): boolean {
  return arrow_bytes !== null && parquet_exact === 1 && !objects.some(({ damaged }) => Boolean(damaged));
}

/** Whether the part counts as transcoded now that it was refused a Parquet form: again is no news. */
export function isTranscodedByRefusal(part: PartRow | undefined): boolean {
  return part !== undefined && part.refusal === null && part.parquet_exact === null;
}

export function keysOf({ objects }: PartForm): readonly string[] {
  return objects.map(({ key }) => key);
}

/** null if the part does not have the form. */
function formKeys(part: FoundPart, kind: PartForm['kind']): readonly string[] | null {
  if ((kind === 'arrow' ? part.arrow_bytes : part.parquet_exact) === null) return null;
  return formObjects(part.objects, kind).map(({ key }) => key);
}

function isDamaged({ objects }: FoundPart, kind: PartForm['kind']): boolean {
  return objects.some((object) => object.kind === kind && Boolean(object.damaged));
}

function isSame(some: readonly string[] | null, others: readonly string[]): boolean {
  return some !== null && some.length === others.length && some.every((key, index) => key === others[index]);
}
