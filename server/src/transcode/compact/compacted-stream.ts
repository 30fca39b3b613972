import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { arrayBytes } from '../../arrow/arrays/array-data.ts';
import { layoutOf } from '../../arrow/arrays/layout.ts';
import { joinArrays } from '../../arrow/arrays/ranges.ts';
import type { DictionaryValues } from '../../arrow/batches/batch.ts';
import { encodeDictionaryHeader } from '../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../arrow/batches/batch-layout.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { dictionariesInnerFirst } from '../../arrow/schema/dictionary-fields.ts';
import { schemaOf } from '../../arrow/schema/schema-record.ts';
import { StreamFile } from '../../arrow/stream-file.ts';
import { sameRows } from '../compare-arrays.ts';

/** Of a written batch, about: large enough that the cost of a message does not matter, small enough to read a few rows. */
const batchBytes = 2 * 1024 * 1024;
/** Joined view columns keep all their data buffers; readers handle some, not thousands. */
const viewBuffersMax = 128;

/** An Arrow stream out of batches that are joined on the way, as long as their dictionaries have the same values. */
export class CompactedStream implements AsyncDisposable {
  readonly schema: Schema;
  readonly #file: StreamFile;
  readonly #dictionaryIds: readonly bigint[];
  /** As a reader of the stream knows them here. */
  readonly #written = new Map<bigint, ArrayData>();
  #waiting: BatchData[] = [];
  #waitingBytes = 0;
  #waitingViews = 0;
  #bytes = 0;

  private constructor(file: StreamFile, schema: Schema) {
    this.#file = file;
    this.schema = schema;
    this.#dictionaryIds = dictionariesInnerFirst(schema);
  }

  static async create(path: string, schemaMessage: Uint8Array): Promise<CompactedStream> {
    return new CompactedStream(await StreamFile.create(path, schemaMessage), schemaOf(schemaMessage));
  }

  /** Bytes of bodies so far. */
  get bytes(): number {
    return this.#bytes + this.#waitingBytes;
  }

  /** The batch's memory may not change until the stream has ended. */
  async add(batch: BatchData, dictionaries: DictionaryValues): Promise<void> {
    if (batch.length > 0) {
      await this.#useDictionaries(dictionaries);
      await this.#addRows(batch);
    }
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#file.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }

  async #addRows(batch: BatchData): Promise<void> {
    const bytes = batch.columns.reduce((sum, column) => sum + arrayBytes(column), 0);
    const views = batch.columns.reduce((sum, column) => sum + viewBuffers(column), 0);
    if (this.#waitingBytes + bytes > 2 * batchBytes || this.#waitingViews + views > viewBuffersMax)
      await this.#flush();
    this.#waiting.push(batch);
    this.#waitingBytes += bytes;
    this.#waitingViews += views;
    if (this.#waitingBytes >= batchBytes) await this.#flush();
  }

  /**
   * If any dictionary has other values than those written last, all are written again: categories and their order stay those of
   * each part, and one inside the values of another never changes alone. A batch whose dictionary never came has only nulls.
   */
  async #useDictionaries(dictionaries: DictionaryValues): Promise<void> {
    const changed = this.#dictionaryIds.some((id) => {
      const values = dictionaries.get(id);
      return values !== undefined && !sameValues(this.#written.get(id), values);
    });
    if (!changed) return;
    await this.#flush();
    for (const id of this.#dictionaryIds) {
      const values = dictionaries.get(id);
      if (values === undefined) continue;
      const plan = planBatch(values.length, [values]);
      const body = new Uint8Array(plan.layout.bodyBytes);
      plan.write(body);
      await this.#file.message(encodeDictionaryHeader(id, false, plan.layout), body);
      this.#bytes += body.length;
      this.#written.set(id, values);
    }
  }

  async #flush(): Promise<void> {
    const batches = this.#waiting;
    if (batches.length === 0) return;
    const length = batches.reduce((sum, batch) => sum + batch.length, 0);
    const columns = this.schema.fields.map((field, index) => joinColumn(field, batches, index));
    await this.#file.batch(length, columns);
    this.#bytes += this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#waitingViews = 0;
  }
}

function joinColumn(field: Field, batches: readonly BatchData[], index: number): ArrayData {
  const arrays = batches.map((batch) => batch.columns[index] as ArrayData);
  return arrays.length === 1 ? (arrays[0] as ArrayData) : joinArrays(field, arrays);
}

function sameValues(written: ArrayData | undefined, values: ArrayData): boolean {
  if (written === values) return true;
  return written?.length === values.length && sameRows(written, 0, values, 0, values.length);
}

function viewBuffers(array: ArrayData): number {
  const own = layoutOf(array.field).kind === 'views' ? array.buffers.length - 1 : 0;
  return array.children.reduce((sum, child) => sum + viewBuffers(child), own);
}
