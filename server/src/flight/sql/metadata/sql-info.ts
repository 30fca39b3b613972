import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { Field } from '../../../arrow/field.ts';
import { type Cell, columnOf, offsetsOf } from '../rows/columns.ts';
import { bool, field, int32, int64, list, uint32, utf8 } from '../rows/fields.ts';
import type { ResultSet } from '../rows/result-set.ts';
import { columnsTable } from '../rows/small-table.ts';
import type { SqlInfoValue } from './sql-info-values.ts';

const infoName = field('info_name', uint32, false);
const stringList = field('string_list', list, true, [field('item', utf8, true)]);
const intList = field('value', list, true, [field('item', int32, true)]);
const mapEntries = field('entries', { kind: 'struct' }, false, [field('key', int32, false), intList]);
const map = field('int32_to_int32_list_map', { kind: 'map', keysSorted: false }, true, [mapEntries]);

/** The members of the union, in the protocol's order; a member's place is its type id. */
const members: readonly { readonly kind: SqlInfoValue['kind']; readonly field: Field }[] = [
  { kind: 'text', field: field('string_value', utf8, true) },
  { kind: 'bool', field: field('bool_value', bool, true) },
  { kind: 'bigint', field: field('bigint_value', int64, true) },
  { kind: 'int32', field: field('int32_bitmask', int32, true) },
  { kind: 'texts', field: stringList },
  { kind: 'map', field: map },
];

const valueField = field(
  'value',
  { kind: 'union', mode: 'dense', typeIds: members.map((_, index) => index) },
  false,
  members.map((member) => member.field),
);

export const sqlInfoFields = [infoName, valueField];

/** The codes asked for, or all if none is. A code that the protocol does not know has no row. */
export function sqlInfoTable(
  values: ReadonlyMap<number, SqlInfoValue>,
  wanted: readonly number[],
): ResultSet {
  const codes = wanted.length === 0 ? [...values.keys()] : [...new Set(wanted)];
  const rows = codes.flatMap((code) => {
    const value = values.get(code);
    return value === undefined ? [] : [{ code, value }];
  });
  const codeColumn = columnOf(
    infoName,
    rows.map(({ code }) => code),
  );
  return columnsTable([codeColumn, unionOf(rows.map(({ value }) => value))]);
}

function unionOf(values: readonly SqlInfoValue[]): ArrayData {
  const typeIds = Buffer.alloc(values.length);
  const offsets = Buffer.alloc(values.length * 4);
  const counts = members.map(() => 0);
  for (const [row, { kind }] of values.entries()) {
    const member = members.findIndex((each) => each.kind === kind);
    typeIds.writeInt8(member, row);
    offsets.writeInt32LE(counts[member] ?? 0, row * 4);
    counts[member] = (counts[member] ?? 0) + 1;
  }
  const children = members.map(({ kind, field: memberField }) =>
    memberColumn(
      memberField,
      values.filter((value) => value.kind === kind),
    ),
  );
  const base = { field: valueField, length: values.length, nullCount: 0, validity: null, dictionary: null };
  return { ...base, buffers: [typeIds, offsets], children };
}

function memberColumn(memberField: Field, values: readonly SqlInfoValue[]): ArrayData {
  if (memberField === map)
    return mapColumn(values.flatMap((value) => (value.kind === 'map' ? [value.value] : [])));
  return columnOf(
    memberField,
    values.flatMap((value): Cell[] => (value.kind === 'map' ? [] : [value.value])),
  );
}

function mapColumn(maps: readonly ReadonlyMap<number, readonly number[]>[]): ArrayData {
  const entries = maps.flatMap((each) => [...each]);
  const plain = { nullCount: 0, validity: null, dictionary: null };
  const [keyField, listField] = mapEntries.children;
  if (keyField === undefined || listField === undefined) throw new Error('a map has keys and values');
  const keys = columnOf(
    keyField,
    entries.map(([key]) => key),
  );
  const lists = columnOf(
    listField,
    entries.map(([, values]) => values),
  );
  const structs: ArrayData = {
    ...plain,
    field: mapEntries,
    length: entries.length,
    buffers: [],
    children: [keys, lists],
  };
  return {
    ...plain,
    field: map,
    length: maps.length,
    buffers: [offsetsOf(maps.map(({ size }) => size))],
    children: [structs],
  };
}
