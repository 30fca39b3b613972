import type { Field } from '../../../arrow/field.ts';

/** A field's type for people: `decimal128(9, 2)`, `timestamp[us, UTC]`, `list<int64>`. */
export function arrowTypeText(field: Field): string {
  const { dictionary } = field;
  const values = valueText(field);
  if (dictionary === null) return values;
  return `dictionary<${dictionary.index.signed ? '' : 'u'}int${dictionary.index.bits}, ${values}>`;
}

function valueText(field: Field): string {
  const { type } = field;
  const children = field.children.map(arrowTypeText);
  const named = field.children.map((child, index) => `${JSON.stringify(child.name)}: ${children[index]}`);
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
    case 'list-view':
      return `${type.large ? 'large_' : ''}${type.kind === 'list' ? 'list' : 'list_view'}<${children[0]}>`;
    case 'fixed-list':
      return `fixed_size_list<${children[0]}>[${type.size}]`;
    case 'struct':
      return `struct<${named.join(', ')}>`;
    case 'map': {
      const [key, value] = field.children[0]?.children ?? [];
      return `map<${key && arrowTypeText(key)}, ${value && arrowTypeText(value)}>`;
    }
    case 'union':
      return `${type.mode}_union<${named.join(', ')}>`;
    case 'run-end':
      return `run_end_encoded<${children[1]}>`;
    case 'utf8-view':
      return 'utf8_view';
    case 'binary-view':
      return 'binary_view';
    case 'null':
    case 'bool':
      return type.kind;
  }
}
