import type { Field } from '../../arrow/field.ts';
import { extensionName, typeDifference } from '../../arrow/schema/schema-difference.ts';
import { typeText } from '../../arrow/schema/type-text.ts';
import { isBinary, isList, isNested, isText } from '../../model/types/type-table.ts';
import { sameSortOfTime } from './convert-times.ts';
import { matchFields, quoted } from './match-fields.ts';
import { canBeNull } from './null-array.ts';
import { isNumber } from './number-values.ts';

/** Why no value of one field can become a value of the other, in words; null if each value decides. */
export function conversionFault(base: Field, added: Field): string | null {
  const extensions = [extensionName(base.metadata), extensionName(added.metadata)] as const;
  if (extensions[0] !== extensions[1] && added.type.kind !== 'null')
    return `${extensions[1] ?? typeText(added)} does not convert to ${extensions[0] ?? typeText(base)}`;
  if (base.dictionary !== null || added.dictionary !== null) {
    const nested = [base, added].find(({ dictionary, type }) => dictionary !== null && isNested(type));
    if (nested !== undefined) return `${typeText(nested)} converts to and from nothing else`;
  }
  return plainFault(base, added);
}

function plainFault(base: Field, added: Field): string | null {
  const [to, from] = [base.type, added.type];
  if (from.kind === 'null' && canBeNull(base)) return null;
  if (isNumber(from) && isNumber(to)) return null;
  if ((isText(from) && isText(to)) || (isBinary(from) && isBinary(to))) return null;
  if (sameSortOfTime(from, to)) return null;
  if (to.kind === 'null') return isNested(from) ? refusal(base, added) : null;
  if (isList(from) && isList(to)) return inner(base.children, added.children);
  if (from.kind === 'map' && to.kind === 'map' && from.keysSorted === to.keysSorted)
    return inner(base.children, added.children);
  if (from.kind === 'struct' && to.kind === 'struct') return memberFault(base, added);
  const same = typeDifference({ ...base, dictionary: null }, { ...added, dictionary: null }) === null;
  return same && !hasDictionary(base) && !hasDictionary(added) ? null : refusal(base, added);
}

/** Lists and maps have one kind of items, whatever they call them. */
function inner([base]: readonly Field[], [added]: readonly Field[]): string | null {
  const fault = base === undefined || added === undefined ? null : conversionFault(base, added);
  return fault === null ? null : `inside, ${fault}`;
}

function memberFault(base: Field, added: Field): string | null {
  const match = matchFields(base.children, added.children);
  if ('difference' in match) return `its fields differ: ${match.difference}`;
  for (const [index, place] of match.places.entries()) {
    const child = base.children[index] as Field;
    const fault = conversionFault(child, added.children[place] as Field);
    if (fault !== null) return `inside ${quoted(child)}, ${fault}`;
  }
  return null;
}

function refusal(base: Field, added: Field): string {
  return `${typeText(added)} does not convert to ${typeText(base)}`;
}

/** Among its children. */
export function hasDictionary({ children }: Field): boolean {
  return children.some((child) => child.dictionary !== null || hasDictionary(child));
}
