import type { ArrowType, Field } from '../field.ts';

/** The type of a field as Arrow's documentation writes it: `int64`, `timestamp[us, UTC]`, `dictionary<utf8, int8>`. Children are not shown. */
export function typeText({ type, dictionary }: Field): string {
  if (dictionary === null) return plainText(type);
  const { index, ordered } = dictionary;
  return `${ordered ? 'ordered ' : ''}dictionary<${plainText(type)}, ${plainText(index)}>`;
}

/** The type with all that is inside it: `decimal128(9, 2)`, `list<int64>`, `struct<"a": utf8>`, `dictionary<int8, utf8>`. */
export function nestedTypeText(field: Field): string {
  const { dictionary } = field;
  const values = valueText(field);
  return dictionary === null ? values : `dictionary<${plainText(dictionary.index)}, ${values}>`;
}

function valueText(field: Field): string {
  const { type } = field;
  const children = field.children.map(nestedTypeText);
  const named = field.children.map((child, index) => `${JSON.stringify(child.name)}: ${children[index]}`);
  switch (type.kind) {
    case 'list':
    case 'list-view':
      return `${plainText(type)}<${children[0]}>`;
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
      return plainText(type);
  }
}

function plainText(type: ArrowType): string {
  switch (type.kind) {
    case 'int':
      return `${type.signed ? '' : 'u'}int${type.bits}`;
    case 'float':
      return `float${type.bits}`;
    case 'decimal':
      return `decimal${type.bits}(${type.precision}, ${type.scale})`;
    case 'utf8':
    case 'binary':
      return `${type.large ? 'large_' : ''}${type.kind}`;
    case 'utf8-view':
      return 'utf8_view';
    case 'binary-view':
      return 'binary_view';
    case 'fixed-binary':
      return `fixed_size_binary[${type.width}]`;
    case 'date':
      return type.unit === 'day' ? 'date32' : 'date64';
    case 'time':
      return `time${type.bits}[${type.unit}]`;
    case 'timestamp':
      return `timestamp[${type.unit}${type.zone === null ? '' : `, ${type.zone}`}]`;
    case 'duration':
      return `duration[${type.unit}]`;
    case 'interval':
      return `interval[${type.unit}]`;
    case 'list':
      return type.large ? 'large_list' : 'list';
    case 'list-view':
      return type.large ? 'large_list_view' : 'list_view';
    case 'fixed-list':
      return `fixed_size_list[${type.size}]`;
    case 'map':
      return type.keysSorted ? 'map with sorted keys' : 'map';
    case 'union':
      return `${type.mode} union of ${type.typeIds.join(', ')}`;
    case 'run-end':
      return 'run_end_encoded';
    default:
      return type.kind;
  }
}
