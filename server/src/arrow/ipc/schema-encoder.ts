import { Builder } from 'flatbuffers';
import type { ArrowType, DictionaryEncoding, Field, IntType, Schema, TimeUnit } from '../field.ts';
import { encodeMetadata, finishMessage, offsetVector } from './message-encoder.ts';

const timeUnits: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];

/** The header of an IPC schema message: what `parseMessage` reads back as the same schema. */
export function encodeSchema(schema: Schema): Uint8Array {
  const builder = new Builder(1024 + schema.fields.length * 128);
  const fields = offsetVector(
    builder,
    schema.fields.map((field) => encodeField(builder, field)),
  );
  const metadata = encodeMetadata(builder, schema.metadata);
  builder.startObject(4);
  builder.addFieldOffset(1, fields, 0);
  builder.addFieldOffset(2, metadata, 0);
  return finishMessage(builder, 1, builder.endObject(), 0);
}

function encodeField(builder: Builder, field: Field): number {
  const children = offsetVector(
    builder,
    field.children.map((child) => encodeField(builder, child)),
  );
  const name = builder.createString(field.name);
  const [typeNumber, type] = encodeType(builder, field.type);
  const dictionary = field.dictionary === null ? 0 : encodeDictionary(builder, field.dictionary);
  const metadata = encodeMetadata(builder, field.metadata);
  builder.startObject(7);
  builder.addFieldOffset(0, name, 0);
  builder.addFieldInt8(1, field.nullable ? 1 : 0, 0);
  builder.addFieldInt8(2, typeNumber, 0);
  builder.addFieldOffset(3, type, 0);
  builder.addFieldOffset(4, dictionary, 0);
  builder.addFieldOffset(5, children, 0);
  builder.addFieldOffset(6, metadata, 0);
  return builder.endObject();
}

function encodeDictionary(builder: Builder, dictionary: DictionaryEncoding): number {
  const index = encodeInt(builder, dictionary.index);
  builder.startObject(4);
  builder.addFieldInt64(0, dictionary.id, 0n);
  builder.addFieldOffset(1, index, 0);
  builder.addFieldInt8(2, dictionary.ordered ? 1 : 0, 0);
  return builder.endObject();
}

function encodeInt(builder: Builder, type: IntType): number {
  builder.startObject(2);
  builder.addFieldInt32(0, type.bits, 0);
  builder.addFieldInt8(1, type.signed ? 1 : 0, 0);
  return builder.endObject();
}

/** The number of the type in the union of types, and its table. */
function encodeType(builder: Builder, type: ArrowType): [number, number] {
  switch (type.kind) {
    case 'null':
      return [1, emptyTable(builder)];
    case 'int':
      return [2, encodeInt(builder, type)];
    case 'float':
      return [3, shortTable(builder, [16, 32, 64].indexOf(type.bits), 0)];
    case 'binary':
      return [type.large ? 19 : 4, emptyTable(builder)];
    case 'utf8':
      return [type.large ? 20 : 5, emptyTable(builder)];
    case 'bool':
      return [6, emptyTable(builder)];
    case 'decimal':
      builder.startObject(3);
      builder.addFieldInt32(0, type.precision, 0);
      builder.addFieldInt32(1, type.scale, 0);
      builder.addFieldInt32(2, type.bits, 128);
      return [7, builder.endObject()];
    case 'date':
      return [8, shortTable(builder, type.unit === 'day' ? 0 : 1, 1)];
    case 'time':
      builder.startObject(2);
      builder.addFieldInt16(0, timeUnits.indexOf(type.unit), 1);
      builder.addFieldInt32(1, type.bits, 32);
      return [9, builder.endObject()];
    case 'timestamp': {
      const zone = type.zone === null ? 0 : builder.createString(type.zone);
      builder.startObject(2);
      builder.addFieldInt16(0, timeUnits.indexOf(type.unit), 0);
      builder.addFieldOffset(1, zone, 0);
      return [10, builder.endObject()];
    }
    case 'interval':
      return [11, shortTable(builder, ['year-month', 'day-time', 'month-day-nano'].indexOf(type.unit), 0)];
    case 'list':
      return [type.large ? 21 : 12, emptyTable(builder)];
    case 'struct':
      return [13, emptyTable(builder)];
    case 'union':
      return [14, encodeUnion(builder, type.mode, type.typeIds)];
    case 'fixed-binary':
      return [15, intTable(builder, type.width)];
    case 'fixed-list':
      return [16, intTable(builder, type.size)];
    case 'map':
      builder.startObject(1);
      builder.addFieldInt8(0, type.keysSorted ? 1 : 0, 0);
      return [17, builder.endObject()];
    case 'duration':
      return [18, shortTable(builder, timeUnits.indexOf(type.unit), 1)];
    case 'run-end':
      return [22, emptyTable(builder)];
    case 'binary-view':
      return [23, emptyTable(builder)];
    case 'utf8-view':
      return [24, emptyTable(builder)];
    case 'list-view':
      return [type.large ? 26 : 25, emptyTable(builder)];
  }
}

function encodeUnion(builder: Builder, mode: 'sparse' | 'dense', typeIds: readonly number[]): number {
  builder.startVector(4, typeIds.length, 4);
  for (const id of typeIds.toReversed()) builder.addInt32(id);
  const ids = builder.endVector();
  builder.startObject(2);
  builder.addFieldInt16(0, mode === 'sparse' ? 0 : 1, 0);
  builder.addFieldOffset(1, ids, 0);
  return builder.endObject();
}

function emptyTable(builder: Builder): number {
  builder.startObject(0);
  return builder.endObject();
}

function shortTable(builder: Builder, value: number, absent: number): number {
  builder.startObject(1);
  builder.addFieldInt16(0, value, absent);
  return builder.endObject();
}

function intTable(builder: Builder, value: number): number {
  builder.startObject(1);
  builder.addFieldInt32(0, value, 0);
  return builder.endObject();
}
