import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { ArrowType, Field, TimeUnit } from '../../../arrow/field.ts';
import { isUuid } from '../../../model/types/column-names.ts';
import { enumIndex } from '../types/arrow-types.ts';
import type { ColumnEncoder } from './column-encoder.ts';
import { EnumColumn, TextDictionaryColumn } from './dictionary-columns.ts';
import {
  BooleanColumn,
  DecimalColumn,
  HugeintColumn,
  NullColumn,
  PlainColumn,
  ScaledColumn,
  TimeWithZoneColumn,
} from './fixed-columns.ts';
import { dayTime, durationIn, IntervalColumn, monthDayNano, yearMonth } from './interval-columns.ts';
import { ArrayColumn, ListColumn, StructColumn, UnionColumn } from './nested-columns.ts';
import { StringHeap } from './string-heap.ts';
import { FixedBinaryColumn, LargeTextColumn, TextColumn, TextViewColumn } from './text-columns.ts';
import { UuidColumn } from './uuid-columns.ts';

/** What makes the field's values out of the engine's without loss; null if nothing does. */
export function columnEncoder(type: DuckDBType, field: Field, heap = new StringHeap()): ColumnEncoder | null {
  const target = field.type;
  if (field.dictionary !== null) return dictionaryEncoder(type, field, heap);
  if (target.kind === 'null') return new NullColumn(field);
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return target.kind === 'bool' ? new BooleanColumn(field) : null;
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.SQLNULL: {
      const { bits, signed } = integerTypes[type.typeId];
      return target.kind === 'int' && target.bits === bits && target.signed === signed
        ? new PlainColumn(field, bits / 8)
        : null;
    }
    case DuckDBTypeId.FLOAT:
      return target.kind === 'float' && target.bits === 32 ? new PlainColumn(field, 4) : null;
    case DuckDBTypeId.DOUBLE:
      return target.kind === 'float' && target.bits === 64 ? new PlainColumn(field, 8) : null;
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return target.kind === 'decimal' && target.bits === 128 && target.precision === 38 && target.scale === 0
        ? new HugeintColumn(field, type.typeId === DuckDBTypeId.HUGEINT)
        : null;
    case DuckDBTypeId.DECIMAL:
      if (target.kind !== 'decimal' || target.scale !== type.scale || target.precision < type.width)
        return null;
      return new DecimalColumn(field, decimalBytes(type.width), target.bits / 8);
    case DuckDBTypeId.DATE:
      if (target.kind !== 'date') return null;
      return target.unit === 'day'
        ? new PlainColumn(field, 4)
        : new ScaledColumn(field, 4, 8, 86_400_000n, 1n);
    case DuckDBTypeId.TIME:
      return timeEncoder(field, target, 'us');
    case DuckDBTypeId.TIME_NS:
      return timeEncoder(field, target, 'ns');
    case DuckDBTypeId.TIME_TZ:
      return target.kind === 'time' && target.unit === 'us' ? new TimeWithZoneColumn(field) : null;
    case DuckDBTypeId.TIMESTAMP:
      return timestampEncoder(field, target, 'us', false);
    case DuckDBTypeId.TIMESTAMP_S:
      return timestampEncoder(field, target, 's', false);
    case DuckDBTypeId.TIMESTAMP_MS:
      return timestampEncoder(field, target, 'ms', false);
    case DuckDBTypeId.TIMESTAMP_NS:
      return timestampEncoder(field, target, 'ns', false);
    case DuckDBTypeId.TIMESTAMP_TZ:
      return timestampEncoder(field, target, 'us', true);
    case DuckDBTypeId.INTERVAL:
      return intervalEncoder(field, target);
    case DuckDBTypeId.VARCHAR:
      return textEncoder(field, target, 'utf8', heap);
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.BIT:
    case DuckDBTypeId.BIGNUM:
    case DuckDBTypeId.GEOMETRY:
      return textEncoder(field, target, 'binary', heap);
    case DuckDBTypeId.UUID:
      if (target.kind === 'utf8' && !target.large) return new UuidColumn(field, true);
      return isUuid(field) ? new UuidColumn(field, false) : null;
    default:
      return nestedEncoder(type, field, heap);
  }
}

const integerTypes = {
  [DuckDBTypeId.TINYINT]: { bits: 8, signed: true },
  [DuckDBTypeId.SMALLINT]: { bits: 16, signed: true },
  [DuckDBTypeId.INTEGER]: { bits: 32, signed: true },
  [DuckDBTypeId.BIGINT]: { bits: 64, signed: true },
  [DuckDBTypeId.UTINYINT]: { bits: 8, signed: false },
  [DuckDBTypeId.USMALLINT]: { bits: 16, signed: false },
  [DuckDBTypeId.UINTEGER]: { bits: 32, signed: false },
  [DuckDBTypeId.UBIGINT]: { bits: 64, signed: false },
  [DuckDBTypeId.SQLNULL]: { bits: 32, signed: true },
} as const;

function nestedEncoder(type: DuckDBType, field: Field, heap: StringHeap): ColumnEncoder | null {
  const target = field.type;
  const [first] = field.children;
  switch (type.typeId) {
    case DuckDBTypeId.LIST: {
      if ((target.kind !== 'list' && target.kind !== 'list-view') || first === undefined) return null;
      const child = columnEncoder(type.valueType, first, heap);
      return child && new ListColumn(field, child);
    }
    case DuckDBTypeId.ARRAY: {
      if (target.kind !== 'fixed-list' || target.size !== type.length || first === undefined) return null;
      const child = columnEncoder(type.valueType, first, heap);
      return child && new ArrayColumn(field, child, type.length);
    }
    case DuckDBTypeId.STRUCT: {
      if (target.kind !== 'struct') return null;
      const children = childEncoders(type.entryNames, type.entryTypes, field, heap);
      return children && new StructColumn(field, children);
    }
    case DuckDBTypeId.MAP: {
      if (target.kind !== 'map' || first === undefined) return null;
      const [key, value] = first.children;
      // What the entries and their two children are called is left to who made the schema.
      const children =
        key && value && childEncoders([key.name, value.name], [type.keyType, type.valueType], first, heap);
      return children ? new ListColumn(field, new StructColumn(first, children)) : null;
    }
    case DuckDBTypeId.UNION: {
      const ordinal =
        target.kind === 'union' &&
        target.mode === 'sparse' &&
        target.typeIds.every((id, index) => id === index);
      if (!ordinal) return null;
      const children = childEncoders(type.memberTags, type.memberTypes, field, heap);
      return children && new UnionColumn(field, children);
    }
    default:
      return null;
  }
}

function childEncoders(
  names: readonly string[],
  types: readonly DuckDBType[],
  field: Field,
  heap: StringHeap,
): ColumnEncoder[] | null {
  if (types.length !== field.children.length) return null;
  const encoders: ColumnEncoder[] = [];
  for (const [index, type] of types.entries()) {
    const child = field.children[index] as Field;
    const encoder = names[index] === child.name ? columnEncoder(type, child, heap) : null;
    if (encoder === null) return null;
    encoders.push(encoder);
  }
  return encoders;
}

function dictionaryEncoder(type: DuckDBType, field: Field, heap: StringHeap): ColumnEncoder | null {
  const { dictionary, type: values } = field;
  if (dictionary === null) return null;
  if (values.kind !== 'utf8' && values.kind !== 'binary') return null;
  const text = values.kind;
  if (type.typeId === DuckDBTypeId.ENUM) {
    const { bits, signed } = dictionary.index;
    const fits = text === 'utf8' && !values.large && !signed && bits === enumIndex(type).bits;
    return fits ? new EnumColumn(field, dictionary.index, type.values) : null;
  }
  const same =
    (type.typeId === DuckDBTypeId.VARCHAR && text === 'utf8') ||
    (type.typeId === DuckDBTypeId.BLOB && text === 'binary');
  return same ? new TextDictionaryColumn(field, dictionary, heap) : null;
}

function textEncoder(
  field: Field,
  target: ArrowType,
  kind: 'utf8' | 'binary',
  heap: StringHeap,
): ColumnEncoder | null {
  if (target.kind === kind)
    return target.large ? new LargeTextColumn(field, heap) : new TextColumn(field, heap);
  if (target.kind === `${kind}-view`) return new TextViewColumn(field, heap);
  if (kind === 'binary' && target.kind === 'fixed-binary')
    return new FixedBinaryColumn(field, heap, target.width);
  return null;
}

const unitsOfSecond: Readonly<Record<TimeUnit, bigint>> = {
  s: 1n,
  ms: 1000n,
  us: 1_000_000n,
  ns: 1_000_000_000n,
};

function timeEncoder(field: Field, target: ArrowType, unit: TimeUnit): ColumnEncoder | null {
  if (target.kind !== 'time') return null;
  if (target.unit === unit) return new PlainColumn(field, 8);
  const width = target.bits === 32 ? 4 : 8;
  return new ScaledColumn(field, 8, width, unitsOfSecond[target.unit], unitsOfSecond[unit]);
}

function timestampEncoder(
  field: Field,
  target: ArrowType,
  unit: TimeUnit,
  zoned: boolean,
): ColumnEncoder | null {
  // The name of a zone is how instants are shown; whether there is one is what they are.
  if (target.kind !== 'timestamp' || (target.zone !== null) !== zoned) return null;
  if (target.unit === unit) return new PlainColumn(field, 8);
  return new ScaledColumn(field, 8, 8, unitsOfSecond[target.unit], unitsOfSecond[unit]);
}

function intervalEncoder(field: Field, target: ArrowType): ColumnEncoder | null {
  if (target.kind === 'duration')
    return new IntervalColumn(field, 8, durationIn(unitsOfSecond[target.unit], unitsOfSecond.us));
  if (target.kind !== 'interval') return null;
  if (target.unit === 'month-day-nano') return new IntervalColumn(field, 16, monthDayNano);
  return target.unit === 'year-month'
    ? new IntervalColumn(field, 4, yearMonth)
    : new IntervalColumn(field, 8, dayTime);
}

/** As the engine stores a decimal of this many digits. */
function decimalBytes(width: number): 2 | 4 | 8 | 16 {
  return width <= 4 ? 2 : width <= 9 ? 4 : width <= 18 ? 8 : 16;
}
