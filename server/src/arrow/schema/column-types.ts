import { execName, valueField } from '../../model/types/column-names.ts';
import type { Field } from '../field.ts';

/** A column as `/exec` and manifests name it. */
export interface ColumnDescription {
  readonly name: string;
  readonly type: string;
  /** ARRAY only: how many lists are inside one another. */
  readonly dim?: number;
  /** ARRAY only: the type of what the innermost list holds. */
  readonly elemType?: string;
}

export function describeColumn(field: Field): ColumnDescription {
  const type = execName(field);
  if (type !== 'ARRAY') return { name: field.name, type };
  let dim = 0;
  let element = field;
  while (execName(element) === 'ARRAY') {
    dim++;
    element = valueField(element).children[0] as Field;
  }
  return { name: field.name, type, dim, elemType: execName(element) };
}
