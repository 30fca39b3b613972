import { typeLayout } from '../../model/types/type-table.ts';
import type { ArrowType, DictionaryEncoding, Field, IntType, Metadata, Schema, TimeUnit } from '../field.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import type { FlatTable } from './flatbuffer.ts';

/** Deeper nesting serves nobody, and every walk over fields recurses. */
export const fieldDepthMax = 64;
/** Ten times the widest table seen; also what keeps shared (and so endlessly repeated) subtrees from growing. */
export const fieldsMax = 100_000;
/** Some for each field that there may be. */
const metadataEntriesMax = 400_000;

interface Budget {
  fields: number;
  metadataEntries: number;
}

function newBudget(): Budget {
  return { fields: 0, metadataEntries: 0 };
}

const timeUnits: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];

/** Schema of a flatbuffer `Schema` table. */
export function parseSchema(table: FlatTable): Schema {
  if (table.int16(0, 0) !== 0)
    throw new MalformedArrow('schema: big-endian data is not accepted; send it little-endian');
  const budget = newBudget();
  return { fields: parseFields(table, 1, 1, budget), metadata: parseMetadata(table, 2, budget) };
}

function parseFields(table: FlatTable, slot: number, depth: number, budget: Budget): Field[] {
  const vector = table.vector(slot, 4);
  const fields: Field[] = [];
  if (vector === null || vector.length === 0) return fields;
  if (depth > fieldDepthMax)
    throw new MalformedArrow(`schema: fields are nested more than ${fieldDepthMax} deep`);
  budget.fields += vector.length;
  if (budget.fields > fieldsMax) throw new MalformedArrow(`schema: more than ${fieldsMax} fields`);
  for (let index = 0; index < vector.length; index++)
    fields.push(parseField(table.tableIn(vector, index), depth, budget));
  return fields;
}

function parseField(table: FlatTable, depth: number, budget: Budget): Field {
  const name = table.text(0) ?? '';
  const children = parseFields(table, 5, depth + 1, budget);
  const type = parseType(table, children, name);
  const encoding = table.table(4);
  return {
    name,
    nullable: table.bool(1),
    type,
    children,
    dictionary: encoding === null ? null : parseDictionary(encoding, name),
    metadata: parseMetadata(table, 6, budget),
  };
}

/** A vector of keys and values, of a schema, field or message. */
export function parseMetadata(table: FlatTable, slot: number, budget: Budget = newBudget()): Metadata {
  const vector = table.vector(slot, 4);
  if (vector === null || vector.length === 0) return noMetadata;
  budget.metadataEntries += vector.length;
  if (budget.metadataEntries > metadataEntriesMax)
    throw new MalformedArrow(`schema: more than ${metadataEntriesMax} metadata entries`);
  const entries: [string, string][] = [];
  for (let index = 0; index < vector.length; index++) {
    const entry = table.tableIn(vector, index);
    const key = entry.looseText(0);
    const value = entry.looseText(1);
    if (key === null || value === null) throw new MalformedArrow('metadata: a key or value is missing');
    entries.push([key, value]);
  }
  return entries;
}

const noMetadata: Metadata = [];

function parseDictionary(table: FlatTable, name: string): DictionaryEncoding {
  if (table.int16(3, 0) !== 0) throw refused(name, `unknown kind of dictionary ${table.int16(3, 0)}`);
  const index = table.table(1);
  return {
    id: table.bigInt64(0),
    index: index === null ? { kind: 'int', bits: 32, signed: true } : integerType(index, name),
    ordered: table.bool(2),
  };
}

function integerType(table: FlatTable, name: string): IntType {
  const bits = table.int32(0, 0);
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64)
    throw refused(name, `integers of ${bits} bits`);
  return { kind: 'int', bits, signed: table.bool(1) };
}

function parseType(field: FlatTable, children: readonly Field[], name: string): ArrowType {
  const number = field.uint8(2);
  const table = field.table(3);
  if (table === null) throw refused(name, 'no type');
  const type = typeOf(number, table, children, name);
  checkChildren(type, children, name);
  return type;
}

function typeOf(number: number, table: FlatTable, children: readonly Field[], name: string): ArrowType {
  switch (number) {
    case 1:
      return { kind: 'null' };
    case 2:
      return integerType(table, name);
    case 3: {
      const bits = ([16, 32, 64] as const)[table.int16(0, 0)];
      if (bits === undefined) throw refused(name, `unknown float precision ${table.int16(0, 0)}`);
      return { kind: 'float', bits };
    }
    case 4:
      return { kind: 'binary', large: false };
    case 5:
      return { kind: 'utf8', large: false };
    case 6:
      return { kind: 'bool' };
    case 7:
      return decimalType(table, name);
    case 8: {
      const unit = (['day', 'ms'] as const)[table.int16(0, 1)];
      if (unit === undefined) throw refused(name, `unknown date unit ${table.int16(0, 1)}`);
      return { kind: 'date', unit };
    }
    case 9: {
      const unit = timeUnit(table.int16(0, 1), name);
      const bits = unit === 's' || unit === 'ms' ? 32 : 64;
      if (table.int32(1, 32) !== bits)
        throw refused(name, `a time in ${unit} has ${bits} bits, not ${table.int32(1, 32)}`);
      return { kind: 'time', bits, unit };
    }
    case 10:
      return { kind: 'timestamp', unit: timeUnit(table.int16(0, 0), name), zone: table.text(1) };
    case 11: {
      const unit = (['year-month', 'day-time', 'month-day-nano'] as const)[table.int16(0, 0)];
      if (unit === undefined) throw refused(name, `unknown interval unit ${table.int16(0, 0)}`);
      return { kind: 'interval', unit };
    }
    case 12:
      return { kind: 'list', large: false };
    case 13:
      return { kind: 'struct' };
    case 14:
      return unionType(table, children, name);
    case 15:
      return { kind: 'fixed-binary', width: size(table, name, 'width') };
    case 16:
      return { kind: 'fixed-list', size: size(table, name, 'list size') };
    case 17:
      return { kind: 'map', keysSorted: table.bool(0) };
    case 18:
      return { kind: 'duration', unit: timeUnit(table.int16(0, 1), name) };
    case 19:
      return { kind: 'binary', large: true };
    case 20:
      return { kind: 'utf8', large: true };
    case 21:
      return { kind: 'list', large: true };
    case 22:
      return { kind: 'run-end' };
    case 23:
      return { kind: 'binary-view' };
    case 24:
      return { kind: 'utf8-view' };
    case 25:
      return { kind: 'list-view', large: false };
    case 26:
      return { kind: 'list-view', large: true };
    default:
      throw refused(name, `unknown type number ${number}`);
  }
}

function timeUnit(number: number, name: string): TimeUnit {
  const unit = timeUnits[number];
  if (unit === undefined) throw refused(name, `unknown time unit ${number}`);
  return unit;
}

function size(table: FlatTable, name: string, what: string): number {
  const value = table.int32(0, 0);
  if (value < 0) throw refused(name, `negative ${what} ${value}`);
  return value;
}

const decimalDigits = { 32: 9, 64: 18, 128: 38, 256: 76 } as const;

function decimalType(table: FlatTable, name: string): ArrowType {
  const bits = table.int32(2, 128);
  const precision = table.int32(0, 0);
  const scale = table.int32(1, 0);
  if (bits !== 32 && bits !== 64 && bits !== 128 && bits !== 256)
    throw refused(name, `decimals of ${bits} bits`);
  if (precision < 1 || precision > decimalDigits[bits])
    throw refused(name, `precision ${precision} of a decimal of ${bits} bits`);
  // Readers keep the scale in one byte, and a scale is also how many zeros a written number gets.
  if (scale < -128 || scale > 127) throw refused(name, `decimal scale ${scale}`);
  return { kind: 'decimal', bits, precision, scale };
}

function unionType(table: FlatTable, children: readonly Field[], name: string): ArrowType {
  const mode = (['sparse', 'dense'] as const)[table.int16(0, 0)];
  if (mode === undefined) throw refused(name, `unknown union mode ${table.int16(0, 0)}`);
  const vector = table.vector(1, 4);
  const count = vector === null ? children.length : vector.length;
  if (count !== children.length)
    throw refused(name, `a union of ${children.length} fields with ${count} type ids`);
  const typeIds: number[] = [];
  const seen = new Set<number>();
  for (let index = 0; index < count; index++) {
    const id = vector === null ? index : table.buffer.view.getInt32(vector.start + index * 4, true);
    if (id < 0 || id > 127 || seen.has(id)) throw refused(name, `union type id ${id}`);
    seen.add(id);
    typeIds.push(id);
  }
  return { kind: 'union', mode, typeIds };
}

function checkChildren(type: ArrowType, children: readonly Field[], name: string): void {
  const expected = childCount(type);
  if (expected !== null && children.length !== expected)
    throw refused(name, `type ${type.kind} has ${expected} children, not ${children.length}`);
  if (type.kind === 'map') {
    const entries = children[0];
    if (entries?.type.kind !== 'struct' || entries.children.length !== 2 || entries.dictionary !== null)
      throw refused(name, 'the entries of a map are a struct of key and value');
  }
  if (type.kind === 'run-end') {
    const ends = children[0];
    if (ends?.type.kind !== 'int' || !ends.type.signed || ends.type.bits === 8 || ends.dictionary !== null)
      throw refused(name, 'run ends are signed integers of 16, 32 or 64 bits');
  }
}

function childCount(type: ArrowType): number | null {
  switch (typeLayout(type).kind) {
    case 'struct':
    case 'union':
      return null;
    case 'list':
    case 'list-view':
    case 'fixed-list':
      return 1;
    case 'run-end':
      return 2;
    default:
      return 0;
  }
}

function refused(name: string, what: string): MalformedArrow {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return new MalformedArrow(`schema: field ${JSON.stringify(shown)}: ${what}`);
}
