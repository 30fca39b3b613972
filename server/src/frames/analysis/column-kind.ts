import type { Field } from '../../arrow/field.ts';
import { isText } from '../../model/types/type-table.ts';

/** How the values of a column are summarized. */
export type ColumnKind =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'date'
  | 'timestamp'
  | 'timestamp-ns'
  | 'time'
  | 'duration'
  | 'bool'
  | 'text'
  | 'other';

/** Decimals of more digits are not numbers for the engine. */
const decimalDigitsMax = 38;

export function columnKind({ type }: Field): ColumnKind {
  switch (type.kind) {
    case 'int':
      return 'integer';
    case 'decimal':
      return type.precision <= decimalDigitsMax && type.scale >= 0 ? 'decimal' : 'other';
    case 'float':
    case 'date':
    case 'time':
    case 'duration':
    case 'bool':
      return type.kind;
    case 'timestamp':
      return type.unit === 'ns' ? 'timestamp-ns' : 'timestamp';
    default:
      return isText(type) ? 'text' : 'other';
  }
}
