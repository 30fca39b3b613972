import {
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/**
 * Fields of a message, those of messages in it and the numbers of packed lists included. Each becomes an object or an entry of one on the
 * server's one thread, and costs its sender two bytes. The largest of honest ones are lists of table types and session options.
 */
const fieldsMax = 10_000;

/** Like `fromBinary`, for untrusted bytes: a message that would become too many objects is refused before any is made. */
export function readMessage<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  new FieldCount().add(schema, bytes);
  return fromBinary(schema, bytes, { readUnknownFields: false });
}

class FieldCount {
  #left = fieldsMax;

  add(schema: DescMessage, bytes: Uint8Array): void {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      this.#take(1);
      // No message of Flight has groups; skipping one would not count what is in it.
      if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) throw new Error('a group');
      const field = schema.fields.find((each) => each.number === number);
      if (wireType === WireType.LengthDelimited && field !== undefined) this.#addField(field, reader.bytes());
      else reader.skip(wireType, number);
    }
  }

  #addField(field: DescField, bytes: Uint8Array): void {
    if (field.fieldKind === 'map') this.#addEntry(field, bytes);
    else if (field.message !== undefined) this.add(field.message, bytes);
    else if (isPacked(field)) this.#take(bytes.length);
  }

  /** An entry of a map is a message with the key as its first field and the value as its second. */
  #addEntry({ message }: DescField & { fieldKind: 'map' }, bytes: Uint8Array): void {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      this.#take(1);
      if (number === 2 && wireType === WireType.LengthDelimited && message !== undefined)
        this.add(message, reader.bytes());
      else reader.skip(wireType, number);
    }
  }

  #take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new Error(`more than ${fieldsMax} fields`);
  }
}

/** A list of numbers in one field, of a byte or more each. */
function isPacked(field: DescField): boolean {
  if (field.fieldKind !== 'list') return false;
  return field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}
