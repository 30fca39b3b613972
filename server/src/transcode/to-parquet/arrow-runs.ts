import { open } from 'node:fs/promises';
import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { arrayBytes } from '../../arrow/arrays/array-data.ts';
import { sliceArray } from '../../arrow/arrays/ranges.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../arrow/batches/batch-layout.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import { readBatchRows } from '../../arrow/batches/partial-batch.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { fileSource } from '../../arrow/ipc/file-source.ts';
import { endOfStream } from '../../arrow/ipc/framing.ts';
import { parseMessage, type RecordBatchMessage } from '../../arrow/ipc/message.ts';
import {
  type ByteSource,
  type FramedMessage,
  MessageReader,
  readBody,
} from '../../arrow/ipc/message-reader.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import {
  type DictionaryField,
  dictionariesInnerFirst,
  dictionaryFields,
} from '../../arrow/schema/dictionary-fields.ts';
import { isView } from '../../model/types/type-table.ts';
import { RunBuffer } from './run-buffer.ts';
import { WritableArrays } from './writable-arrays.ts';
import { type WritableColumns, writableColumns } from './writable-columns.ts';

/** Some rows of a stream. Both are views of memory that is used again for the next run. */
export interface ArrowRun {
  /** A whole stream of its own: schema, dictionaries with their current values, record batches, nothing compressed. */
  readonly stream: Uint8Array;
  /** The same rows, decoded. */
  readonly batches: readonly BatchData[];
}

export interface ArrowRuns extends AsyncDisposable {
  /** Of the runs: that of the stream, or what of it can be written as Parquet. */
  readonly schema: Schema;
  /** Columns or metadata of the stream are left out or written as other types: Parquet cannot hold them as they are. */
  readonly isPartial: boolean;
  /** Some message carries metadata of its own: known once the last run was given. */
  readonly hasBatchMetadata: boolean;
  /** At least one run, even if there are no rows. */
  runs(signal: AbortSignal): AsyncGenerator<ArrowRun, void, void>;
}

/** An Arrow stream file, cut into runs of about `runBytes`, at most three times that. */
export async function openArrowRuns(path: string, runBytes: number): Promise<ArrowRuns> {
  const file = await open(path);
  try {
    const source = fileSource(file);
    const reader = new MessageReader(source);
    const first = await reader.next();
    const message = first === null ? null : parseMessage(first.header);
    if (first === null || message?.kind !== 'schema') throw new Error('a stream without schema');
    const writable = writableColumns(message.schema);
    const runs = new StreamRuns(source, reader, first.header, message.schema, writable, runBytes);
    return Object.assign(runs, { [Symbol.asyncDispose]: () => file.close() });
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

class StreamRuns {
  readonly schema: Schema;
  readonly isPartial: boolean;
  hasBatchMetadata = false;
  readonly #source: ByteSource;
  readonly #reader: MessageReader;
  readonly #schemaHeader: Uint8Array;
  readonly #fields: readonly Field[];
  /** Those that are given; null for all. */
  readonly #columns: readonly number[] | null;
  readonly #runBytes: number;
  readonly #dictionaries: Dictionaries;
  readonly #dictionaryIds: readonly bigint[];
  /** As they are written. */
  readonly #dictionaryFields: ReadonlyMap<bigint, DictionaryField>;
  readonly #buffer: RunBuffer;
  readonly #written = new WritableArrays();
  #batches: BatchData[] = [];

  constructor(
    source: ByteSource,
    reader: MessageReader,
    schemaHeader: Uint8Array,
    schema: Schema,
    writable: WritableColumns | null,
    runBytes: number,
  ) {
    this.schema = writable?.schema ?? schema;
    this.isPartial = writable !== null;
    this.#source = source;
    this.#reader = reader;
    this.#schemaHeader = writable === null ? schemaHeader : encodeSchema(writable.schema);
    this.#fields = schema.fields;
    this.#columns = writable?.columns ?? null;
    this.#runBytes = runBytes;
    this.#dictionaries = new Dictionaries(schema);
    this.#dictionaryIds = dictionariesInnerFirst(this.schema);
    this.#dictionaryFields = dictionaryFields(this.schema);
    this.#buffer = new RunBuffer(2 * runBytes);
  }

  async *runs(signal: AbortSignal): AsyncGenerator<ArrowRun, void, void> {
    let given = false;
    for (let message = await this.#reader.next(); message !== null; message = await this.#reader.next()) {
      signal.throwIfAborted();
      const parsed = parseMessage(message.header);
      this.hasBatchMetadata ||= parsed.metadata.length > 0;
      if (parsed.kind === 'dictionary') {
        // A run has one state of the dictionaries.
        if (this.#batches.length > 0) {
          given = true;
          yield this.#take();
        }
        this.#dictionaries.add(parsed, await readBody(message));
      } else if (parsed.kind === 'record-batch') {
        for await (const run of this.#add(message, parsed)) {
          given = true;
          yield run;
        }
      }
    }
    if (this.#batches.length > 0 || !given) yield this.#take();
  }

  /** Adds a batch; gives the runs that it fills. */
  async *#add(message: FramedMessage, parsed: RecordBatchMessage): AsyncGenerator<ArrowRun, void, void> {
    // The library wants an array without rows to have 0 as its one offset, and pyarrow writes others. What is encoded anew has 0.
    const hasEmpty = parsed.batch.nodeLengths.includes(0);
    const isWhole = this.#columns === null && parsed.batch.compression === 'none' && !hasEmpty;
    if (isWhole && message.bodyBytes <= 2 * this.#runBytes) {
      if (this.#batches.length > 0 && !this.#buffer.fits(message.bodyBytes)) yield this.#take();
      this.#begin();
      const body = this.#buffer.message(message.header, message.bodyBytes);
      await message.readBody(body);
      this.#batches.push(readBatch(this.#fields, parsed.batch, body, this.#dictionaries.current()));
      if (this.#buffer.length >= this.#runBytes) yield this.#take();
      return;
    }
    for await (const batch of this.#pieces(message, parsed)) {
      const plan = planBatch(batch.length, batch.columns);
      if (this.#batches.length > 0 && !this.#buffer.fits(plan.layout.bodyBytes)) yield this.#take();
      this.#begin();
      plan.write(this.#buffer.message(encodeRecordBatchHeader(plan.layout), plan.layout.bodyBytes));
      this.#batches.push(batch);
      if (this.#buffer.length >= this.#runBytes) yield this.#take();
    }
  }

  /** Rows of a batch that is compressed, too large for one run, or not given whole. */
  async *#pieces(
    message: FramedMessage,
    { batch }: RecordBatchMessage,
  ): AsyncGenerator<BatchData, void, void> {
    const fields = this.#fields;
    const dictionaries = this.#dictionaries.current();
    const isSmall = message.bodyBytes <= 2 * this.#runBytes;
    if (batch.compression !== 'none' || isSmall || !this.schema.fields.every(isContiguous)) {
      const whole = readBatch(fields, batch, await readBody(message), dictionaries);
      for (const given of this.#given(whole)) yield* cut(given, this.#runBytes);
      return;
    }
    const body = async (offset: number, byteCount: number) =>
      await this.#bytesAt(message.bodyPosition + offset, byteCount);
    // Pieces begin where a byte of bits begins: no row comes along that is not wanted.
    const rows = Math.floor((batch.length * this.#runBytes) / message.bodyBytes / 8) * 8;
    const step = Math.max(8, rows);
    for (let from = 0; from < batch.length; from += step) {
      const to = Math.min(from + step, batch.length);
      const rows = await readBatchRows(fields, batch, body, dictionaries, this.#columns, from, to);
      yield* this.#asWritten(rows.batch);
    }
  }

  #given(batch: BatchData): Iterable<BatchData> {
    if (this.#columns === null) return [batch];
    const columns = this.#columns.map((index) => batch.columns[index] as ArrayData);
    return this.#asWritten({ length: batch.length, columns });
  }

  #asWritten(batch: BatchData): Iterable<BatchData> {
    return this.#columns === null ? [batch] : this.#written.batches(batch, this.schema.fields);
  }

  async #bytesAt(position: number, byteCount: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(byteCount);
    for (let filled = 0; filled < byteCount; ) {
      const count = await this.#source.read(bytes.subarray(filled), position + filled);
      if (count === 0) throw new Error('an Arrow stream ends inside a body');
      filled += count;
    }
    return bytes;
  }

  #begin(): void {
    if (this.#batches.length > 0) return;
    this.#buffer.clear();
    this.#buffer.message(this.#schemaHeader, 0);
    const current = this.#dictionaries.current();
    for (const id of this.#dictionaryIds) {
      const stored = current.get(id);
      if (stored === undefined) continue;
      const values = this.#written.dictionary(stored, this.#dictionaryFields.get(id)?.field ?? stored.field);
      const plan = planBatch(values.length, [values]);
      plan.write(this.#buffer.message(encodeDictionaryHeader(id, false, plan.layout), plan.layout.bodyBytes));
    }
  }

  #take(): ArrowRun {
    this.#begin();
    this.#buffer.bytes(endOfStream);
    const batches = this.#batches;
    this.#batches = [];
    return { stream: this.#buffer.content(), batches };
  }
}

/** Pieces of a batch that is larger than two runs; the batch itself if it is not. */
function* cut(batch: BatchData, runBytes: number): Generator<BatchData, void, void> {
  const bytes = batch.columns.reduce((sum, column) => sum + arrayBytes(column), 0);
  if (bytes <= 2 * runBytes) {
    yield batch;
    return;
  }
  const step = Math.max(1, Math.floor((batch.length * runBytes) / bytes));
  for (let start = 0; start < batch.length; start += step) {
    const length = Math.min(step, batch.length - start);
    yield { length, columns: batch.columns.map((column) => sliceArray(column, start, length)) };
  }
}

/** Whether some rows of the field are some bytes of its buffers. What views and unions point to may be anywhere: each piece could need it all. */
function isContiguous(field: Field): boolean {
  const { type } = field;
  if (field.dictionary !== null) return true;
  if (isView(type)) return false;
  if (type.kind === 'run-end' || (type.kind === 'union' && type.mode === 'dense')) return false;
  return field.children.every(isContiguous);
}
