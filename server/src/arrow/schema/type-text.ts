import type { ArrowType, Field } from '../field.ts';

/** The type of a field as Arrow's documentation writes it: `int64`, `timestamp[us, UTC]`, `dictionary<utf8, int8>`. Children are not shown. */
export function typeText({ type, dictionary }: Field): string {
  if (dictionary === null) return plainText(type);
  const { index, ordered } = dictionary;
  return `${ordered ? 'ordered ' : ''}dictionary<${plainText(type)}, ${plainText(index)}>`;
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
