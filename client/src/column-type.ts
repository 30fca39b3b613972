import { type DataType, type Field, Precision, TimeUnit, Type } from '@uwdata/flechette';
import type { ColumnType } from './answers.ts';
import { isUuid } from './cells/uuids.ts';

/** A column's type by the names that manifests use. */
export function columnType({ name, type }: Field): ColumnType {
  const typeName = nameOf(type);
  if (typeName !== 'ARRAY') return { name, type: typeName };
  let dim = 0;
  let element = plainType(type);
  while (nameOf(element) === 'ARRAY') {
    dim++;
    element = plainType((element as { readonly children: readonly [Field] }).children[0].type);
  }
  return { name, type: typeName, dim, elemType: nameOf(element) };
}

function nameOf(type: DataType): string {
  const plain = plainType(type);
  if (isUuid(plain)) return 'UUID';
  switch (plain.typeId) {
    case Type.Dictionary:
      return 'SYMBOL';
    case Type.Null:
      return 'NULL';
    case Type.Bool:
      return 'BOOLEAN';
    case Type.Int:
      return `${plain.signed ? '' : 'U'}${{ 8: 'BYTE', 16: 'SHORT', 32: 'INT', 64: 'LONG' }[plain.bitWidth]}`;
    case Type.Float:
      return plain.precision === Precision.DOUBLE ? 'DOUBLE' : 'FLOAT';
    case Type.Decimal:
      return `DECIMAL(${plain.precision},${plain.scale})`;
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return 'STRING';
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return 'BINARY';
    case Type.Date:
      return 'DATE';
    case Type.Time:
      return 'TIME';
    case Type.Timestamp:
      return plain.unit === TimeUnit.NANOSECOND ? 'TIMESTAMP_NS' : 'TIMESTAMP';
    case Type.Duration:
      return 'DURATION';
    case Type.Interval:
      return 'INTERVAL';
    case Type.Struct:
      return 'STRUCT';
    case Type.Map:
      return 'MAP';
    case Type.Union:
      return 'UNION';
    default:
      return 'ARRAY';
  }
}

/** Runs, and dictionaries of other values than strings, are only ways to store the values. */
function plainType(type: DataType): DataType {
  if (type.typeId === Type.RunEndEncoded) return plainType(type.children[1].type);
  if (type.typeId !== Type.Dictionary) return type;
  const { typeId } = type.dictionary;
  const isText = typeId === Type.Utf8 || typeId === Type.LargeUtf8 || typeId === Type.Utf8View;
  return isText ? type : plainType(type.dictionary);
}
