import { isList, plainTypeText } from '../../model/types/type-table.ts';
import type { Field } from '../field.ts';

/** The type of a field as Arrow's documentation writes it: `int64`, `timestamp[us, UTC]`, `dictionary<utf8, int8>`. Children are not shown. */
export function typeText({ type, dictionary }: Field): string {
  if (dictionary === null) return plainTypeText(type);
  const { index, ordered } = dictionary;
  return `${ordered ? 'ordered ' : ''}dictionary<${plainTypeText(type)}, ${plainTypeText(index)}>`;
}

/** The type with all that is inside it: `decimal128(9, 2)`, `list<int64>`, `struct<"a": utf8>`, `dictionary<int8, utf8>`. */
export function nestedTypeText(field: Field): string {
  const { dictionary } = field;
  const values = valueText(field);
  return dictionary === null ? values : `dictionary<${plainTypeText(dictionary.index)}, ${values}>`;
}

function valueText(field: Field): string {
  const { type } = field;
  const children = field.children.map(nestedTypeText);
  const named = field.children.map((child, index) => `${JSON.stringify(child.name)}: ${children[index]}`);
  switch (type.kind) {
    case 'fixed-list':
      return `fixed_size_list<${children[0]}>[${type.size}]`;
    case 'struct':
      return `struct<${named.join(', ')}>`;
    case 'map': {
      const [key, value] = field.children[0]?.children ?? [];
      return `map<${key && nestedTypeText(key)}, ${value && nestedTypeText(value)}>`;
    }
    case 'union':
      return `${type.mode}_union<${named.join(', ')}>`;
    case 'run-end':
      return `run_end_encoded<${children[1]}>`;
    default:
      return isList(type) ? `${plainTypeText(type)}<${children[0]}>` : plainTypeText(type);
  }
}
