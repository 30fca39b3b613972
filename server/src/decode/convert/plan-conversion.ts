import type { Field, Schema } from '../../arrow/field.ts';
import { FrameholdError } from '../../model/errors.ts';
import { conversionFault } from './convertible.ts';
import { matchFields, quoted } from './match-fields.ts';

export interface ConversionPlan {
  /** For each column of the frame, which one of the added rows it is. */
  readonly places: readonly number[];
  /** The frame's schema; a column is nullable if either is. */
  readonly schema: Schema;
}

/** Columns whose types differ that one error names. */
const faultsShown = 5;

/** How rows can be appended to a frame whose columns are not the same. schema_conflict, with the difference, if no row could. */
export function planConversion(base: Schema, added: Schema): ConversionPlan {
  const match = matchFields(base.fields, added.fields);
  if ('difference' in match) throw columnsDiffer(match.difference, base, added.fields);
  const faults: string[] = [];
  const fields = match.places.map((place, index) => {
    const field = base.fields[index] as Field;
    const other = added.fields[place] as Field;
    const fault = conversionFault(field, other);
    if (fault !== null) faults.push(`column ${quoted(field)}: ${fault}`);
    return fault === null ? widened(field, other) : field;
  });
  if (faults.length > faultsShown)
    faults.splice(faultsShown, Infinity, `${faults.length - faultsShown} more columns`);
  if (faults.length > 0) throw columnsDiffer(faults.join('; '), base, added.fields);
  return { places: match.places, schema: { ...base, fields } };
}

/** Nullable if the added field is. Fields inside by name or, if there is one only, as they are. */
function widened(base: Field, added: Field): Field {
  const match = matchFields(base.children, added.children);
  const places = 'places' in match ? match.places : base.children.map((_, place) => place);
  const children = base.children.map((child, index) => {
    const other = added.children[places[index] as number];
    // A column of nulls only has nothing inside.
    return other === undefined ? { ...child, nullable: true } : widened(child, other);
  });
  return { ...base, nullable: base.nullable || added.nullable, children };
}

/** What pandas calls an index without a name. */
const indexName = /^(?:__index_level_\d+__|index)$/;

export function columnsDiffer(difference: string, base: Schema, added: readonly Field[]): FrameholdError {
  const known = new Set(base.fields.map(({ name }) => name));
  const index = added.find(({ name }) => indexName.test(name) && !known.has(name));
  return new FrameholdError('schema_conflict', `The columns differ from the frame's: ${difference}.`, {
    hint:
      index === undefined
        ? 'Append the columns of the frame, by name and in any order, with values that its types can hold; or replace the frame.'
        : `${quoted(index)} looks like the index of a pandas DataFrame: leave it out with preserve_index=False or index=False, or replace the frame.`,
  });
}
