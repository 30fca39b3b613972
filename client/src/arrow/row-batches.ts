import { Column, type Field, type Schema, Table, Type, tableFromIPC } from '@uwdata/flechette';
import { markUuids } from '../cells/uuids.ts';
import { unreadableAnswer } from '../errors.ts';
import { decompressBody } from './body-compression.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ColumnBatch, ColumnBatches } from './column-batches.ts';
import { type BatchBody, type Message, readMessage } from './messages.ts';

/** The columns of one batch of rows. */
export interface ReadBatch {
  readonly rowCount: number;
  /** Whether the batch has more rows than were wanted. */
  readonly isCut: boolean;
  readonly columns: readonly ColumnBatch[];
}

/** Reads an Arrow stream batch by batch. Only the dictionaries and the batch at hand are in memory. */
export class BatchReader {
  readonly schema: Schema;
  readonly #reader: ByteReader;
  readonly #dictionaryFields: ReadonlyMap<number, Field>;
  readonly #dictionaries = new Map<number, Column<unknown>>();

  private constructor(reader: ByteReader, schema: Schema) {
    this.#reader = reader;
    this.schema = schema;
    this.#dictionaryFields = dictionaryFields(schema);
  }

  static async open(reader: ByteReader): Promise<BatchReader> {
    const first = await readMessage(reader);
    if (first?.kind !== 'schema')
      throw unreadableAnswer('The answer does not begin with an Arrow schema.', 'Check the address.');
    return new BatchReader(reader, schemaOf(first.header));
  }

  /** The next rows, at most so many of them; null after the last. */
  async next(rowsMax = Number.POSITIVE_INFINITY): Promise<ReadBatch | null> {
    for (;;) {
      const message = await readMessage(this.#reader);
      if (message === null) return null;
      if (message.kind === 'batch') return this.#columns(await decompressBody(message.batch), rowsMax);
      if (message.kind === 'dictionary') await this.#keepDictionary(message);
    }
  }

  #columns(body: BatchBody, rowsMax: number): ReadBatch {
    const batches = new ColumnBatches(body, this.#dictionaries);
    return {
      rowCount: Math.min(body.rowCount, rowsMax),
      isCut: body.rowCount > rowsMax,
      columns: this.schema.fields.map(({ type }) => batches.next(type, rowsMax)),
    };
  }

  /** A new column each time: batches that were read before keep the one they have. */
  async #keepDictionary(message: Extract<Message, { kind: 'dictionary' }>): Promise<void> {
    const type = this.#dictionaryFields.get(message.id)?.type;
    if (type?.typeId !== Type.Dictionary) return;
    const batches = new ColumnBatches(await decompressBody(message.batch), this.#dictionaries);
    const added = batches.next(type.dictionary);
    const before = message.isDelta ? (this.#dictionaries.get(message.id)?.data ?? []) : [];
    this.#dictionaries.set(message.id, new Column([...before, added], type.dictionary));
  }
}

/** Flechette reads schemas only as streams: one that ends after its first message. */
function schemaOf(header: Uint8Array): Schema {
  const framed = new Uint8Array(header.length + 16);
  const view = new DataView(framed.buffer);
  view.setInt32(0, -1, true);
  view.setInt32(4, header.length, true);
  framed.set(header, 8);
  view.setInt32(header.length + 8, -1, true);
  const { schema } = tableFromIPC(framed);
  for (const field of schema.fields) markUuids(field);
  return schema;
}

/** Where each dictionary is used; those inside the values of another count as well. */
function dictionaryFields(schema: Schema): Map<number, Field> {
  const found = new Map<number, Field>();
  const visit = (field: Field): void => {
    const { type } = field;
    if (type.typeId === Type.Dictionary) found.set(type.id, field);
    const holder = type.typeId === Type.Dictionary ? type.dictionary : type;
    if ('children' in holder) for (const child of holder.children) visit(child);
  };
  for (const field of schema.fields) visit(field);
  return found;
}

/** One table of the rows of all batches. */
export function tableOf(schema: Schema, batches: readonly ReadBatch[]): Table {
  const columns = schema.fields.map(
    ({ type }, index) =>
      new Column(
        batches.map(({ columns: each }) => each[index] as ColumnBatch),
        type,
      ),
  );
  return new Table(schema, columns);
}
