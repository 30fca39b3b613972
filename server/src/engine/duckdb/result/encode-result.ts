import type { DuckDBResult, DuckDBType } from '@duckdb/node-api';
import duckdb, { type DataChunk } from '@duckdb/node-bindings';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../../arrow/batches/batch-encoder.ts';
import { type BatchPlan, planBatch } from '../../../arrow/batches/batch-layout.ts';
import type { Field, Schema } from '../../../arrow/field.ts';
import { nestedTypeText } from '../../../arrow/schema/type-text.ts';
import { BufferPool } from '../../../base/buffer-pool.ts';
import { FrameholdError } from '../../../model/errors.ts';
import type { IpcPiece } from '../../statement-runner.ts';
import type { ColumnEncoder } from './column-encoder.ts';
import { columnEncoder } from './column-encoders.ts';
import { rows, type Selection } from './selection.ts';
import { StringHeap } from './string-heap.ts';

export { arrowSchemaOf } from '../types/arrow-types.ts';
export { castTypeOf } from '../types/cast-types.ts';

export interface EncodeOptions {
  /** Where the memory of bodies comes from. */
  readonly pool?: BufferPool;
  /**
   * Finds out what the engine says about a result that ended early, for example by running the statement again as EXPLAIN ANALYZE: the engine's bindings
   * do not give the text. Null if it does not know. What it throws is thrown in its place.
   */
  readonly explainFailure?: () => Promise<string | null>;
}

/** Readers gain nothing from more rows in a batch, and wait longer for the first. */
const batchRowsMax = 65_536;
/** Several times smaller than the 16 MiB that some Flight clients accept in a message. One row may still be larger. */
const batchBytesMax = 4 * 1024 * 1024;
/** A body of this size, in this many buffers at most, is sent out of the encoders' own memory: copying it into one piece costs more than further pieces do. */
const ownMemoryBytesMin = 256 * 1024;
const ownMemoryBuffersMax = 64;
/** The result is whole (`duckdb_result_type`). */
const queryResult = 3;

/** schema_conflict, naming the column and both types, if rows with columns of these types cannot have this schema exactly. */
export function requireEncodable(types: readonly DuckDBType[], schema: Schema): void {
  columnEncoders(types, schema);
}

/**
 * The rows of a streamed result as dictionary and record batches of the schema: one of `arrowSchemaOf`, or one that `requireEncodable`
 * accepts. Ends normally only if the result is whole; sql_failed otherwise.
 */
export async function* encodeResult(
  result: DuckDBResult,
  schema: Schema,
  options: EncodeOptions = {},
): AsyncGenerator<IpcPiece, void, void> {
  const types = result.columnTypes();
  const batch = new PendingBatch(() => columnEncoders(types, schema), options.pool ?? new BufferPool(0));
  let next = result.fetchChunk();
  try {
    for (;;) {
      const chunk = await next;
      const count = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk.chunk);
      if (chunk === null || count === 0) break;
      // The engine works on the next chunk while this one is encoded.
      next = result.fetchChunk();
      // The failure is seen when it is awaited; until then it must not count as unhandled.
      next.catch(() => {});
      // Not `yield*`, which would make promises also for the many chunks that fill no batch.
      for (const piece of batch.take(chunk.chunk, count)) yield piece;
    }
    // A stream that failed, or was interrupted, ends like one that is whole: with an empty chunk. Only its type shows the difference.
    if (result.returnType !== queryResult) throw await failure(options);
    yield* batch.flush();
  } finally {
    // The caller closes the connection next, which must not happen under a fetch.
    await next.catch(() => null);
  }
}

async function failure(options: EncodeOptions): Promise<FrameholdError> {
  const text = (await options.explainFailure?.()) ?? null;
  return new FrameholdError('sql_failed', text ?? 'The statement failed before its last row.', {
    hint: 'EXPLAIN ANALYZE runs it without giving rows, and says what fails.',
  });
}

function columnEncoders(types: readonly DuckDBType[], schema: Schema): ColumnEncoder[] {
  if (types.length !== schema.fields.length)
    throw new FrameholdError(
      'schema_conflict',
      `The rows have ${types.length} columns, and ${schema.fields.length} are wanted.`,
    );
  const heap = new StringHeap();
  return types.map((type, index) => {
    const field = schema.fields[index] as Field;
    const encoder = columnEncoder(type, field, heap);
    if (encoder === null)
      throw new FrameholdError(
        'schema_conflict',
        `Column ${JSON.stringify(field.name)} is ${nestedTypeText(field)}, and ${type} cannot be given as that without loss.`,
        { hint: 'Cast it in the statement, or choose another column.' },
      );
    return encoder;
  });
}

/** Rows on their way into a batch. */
class PendingBatch {
  readonly #makeEncoders: () => ColumnEncoder[];
  readonly #pool: BufferPool;
  #encoders: readonly ColumnEncoder[];
  /** Those whose last batch has been written. */
  readonly #idle: (readonly ColumnEncoder[])[] = [];
  /** A dictionary goes on from batch to batch, so that its encoder has to. */
  readonly #hasDictionary: boolean;
  #rows = 0;
  #bytes = 0;

  constructor(makeEncoders: () => ColumnEncoder[], pool: BufferPool) {
    this.#makeEncoders = makeEncoders;
    this.#pool = pool;
    this.#encoders = makeEncoders();
    this.#hasDictionary = this.#encoders.some(({ field }) => hasDictionary(field));
  }

  /** Takes the rows of a chunk, and gives batches that have become full. */
  *take(chunk: DataChunk, count: number): Generator<IpcPiece, void, void> {
    if (this.#rows + count > batchRowsMax) yield* this.flush();
    this.#load(chunk, count);
    yield* this.#append(rows(0, count), () => this.#load(chunk, count));
  }

  #load(chunk: DataChunk, count: number): void {
    for (const [index, encoder] of this.#encoders.entries())
      encoder.load(duckdb.data_chunk_get_vector(chunk, index), count);
  }

  *#append(selection: Selection, loadAgain: () => void): Generator<IpcPiece, void, void> {
    let bytes = 0;
    for (const encoder of this.#encoders) bytes += encoder.weigh(selection);
    if (bytes > batchBytesMax && selection.count > 1) {
      const half = selection.count >> 1;
      yield* this.#append(rows(selection.from, half), loadAgain);
      yield* this.#append(rows(selection.from + half, selection.count - half), loadAgain);
      return;
    }
    if (this.#bytes + bytes > batchBytesMax) {
      const loaded = this.#encoders;
      yield* this.flush();
      if (this.#encoders !== loaded) loadAgain();
    }
    for (const encoder of this.#encoders) encoder.append(selection);
    this.#rows += selection.count;
    this.#bytes += bytes;
  }

  *flush(): Generator<IpcPiece, void, void> {
    if (this.#rows === 0) return;
    const encoders = this.#encoders;
    const columns = encoders.map((encoder) => encoder.finish());
    for (const encoder of encoders)
      for (const { id, delta, values } of encoder.dictionaries()) {
        const plan = planBatch(values.length, [values]);
        yield this.#copied(encodeDictionaryHeader(id, delta, plan.layout), plan);
      }
    const plan = planBatch(this.#rows, columns);
    const { bodyBytes, buffers } = plan.layout;
    const header = encodeRecordBatchHeader(plan.layout);
    const clear = () => {
      for (const encoder of encoders) encoder.clear();
    };
    this.#rows = 0;
    this.#bytes = 0;
    if (this.#hasDictionary || bodyBytes < ownMemoryBytesMin || buffers.length > ownMemoryBuffersMax) {
      const made = this.#copied(header, plan);
      clear();
      yield made;
      return;
    }
    this.#encoders = this.#idle.pop() ?? this.#makeEncoders();
    yield {
      header: new Uint8Array(header),
      body: plan.pieces(),
      bodyBytes,
      release: () => {
        clear();
        this.#idle.push(encoders);
      },
    };
  }

  #copied(header: Uint8Array, { layout, write }: BatchPlan): IpcPiece {
    const { bodyBytes } = layout;
    // Every byte of it is written, whatever was in it.
    const body = this.#pool.take(bodyBytes);
    write(body);
    return { header: new Uint8Array(header), body: [body], bodyBytes, release: () => this.#pool.give(body) };
  }
}

function hasDictionary({ dictionary, children }: Field): boolean {
  return dictionary !== null || children.some(hasDictionary);
}
