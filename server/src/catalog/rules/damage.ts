import { exactForm } from '../../model/part-forms.ts';
import type { PartForm } from '../../model/version.ts';
import type { DamageRow, OwnerRow } from '../damage-rows.ts';
import { partRecordOf, replacedKind } from '../part-rows.ts';
import type { FoundPart } from './forms.ts';

export interface FoundDamage {
  /** Nothing can be made from the part: transcoding would only fail on it again. */
  readonly refusesTranscoding: boolean;
  /** The rows are in another form too, which is exact. */
  readonly recovered: boolean;
}

/** What damage of an object of this kind means for the part that has these forms. */
export function foundDamage(kind: OwnerRow['kind'], forms: readonly PartForm[]): FoundDamage {
  return {
    refusesTranscoding: kind === 'arrow' && forms.length === 1,
    recovered: forms.some((form) => form.kind !== kind && form.exact && !form.damaged),
  };
}

/**
 * The objects that go with a damaged one: a form goes as a whole, an object of a form that was replaced goes alone. None (null) unless the part is
 * read from exactly the objects `instead`.
 */
export function leavingKeys(
  key: string,
  kind: OwnerRow['kind'],
  part: FoundPart,
  instead: readonly string[],
): readonly string[] | null {
  const read = exactForm(partRecordOf(part, part.objects))?.objects ?? [];
  if (read.length !== instead.length || read.some((object, index) => object.key !== instead[index]))
    return null;
  if (kind === replacedKind) return [key];
  return part.objects.filter((object) => object.kind === kind).map((object) => object.key);
}

/** Whether all of it was found long enough ago. */
export function areDue(leaving: readonly DamageRow[], foundBefore: number): boolean {
  return leaving.length > 0 && leaving.every((row) => row.found_at <= foundBefore);
}
