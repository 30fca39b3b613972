import type { DuckDBResult, DuckDBType } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../../arrow/batches/batch-encoder.ts';
import { type BatchPlan, planBatch } from '../../../arrow/batches/batch-layout.ts';
import type { Field, Schema } from '../../../arrow/field.ts';
import { nestedTypeText } from '../../../arrow/schema/type-text.ts';
import { FrameholdError } from '../../../frames/errors.ts';
import { BufferPool } from '../../../frames/reading/buffer-pool.ts';
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
  const encoders = columnEncoders(result.columnTypes(), schema);
  const batch = new PendingBatch(encoders, options.pool ?? new BufferPool(0));
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
      for (const [index, encoder] of encoders.entries())
        encoder.load(duckdb.data_chunk_get_vector(chunk.chunk, index), count);
      yield* batch.append(rows(0, count));
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
  readonly #encoders: readonly ColumnEncoder[];
  readonly #pool: BufferPool;
  #rows = 0;
  #bytes = 0;

  constructor(encoders: readonly ColumnEncoder[], pool: BufferPool) {
    this.#encoders = encoders;
    this.#pool = pool;
  }

  /** Takes rows of the loaded chunk, and gives batches that have become full. */
  *append(selection: Selection): Generator<IpcPiece, void, void> {
    let bytes = 0;
    for (const encoder of this.#encoders) bytes += encoder.weigh(selection);
    if (bytes > batchBytesMax && selection.count > 1) {
      const half = selection.count >> 1;
      yield* this.append(rows(selection.from, half));
      yield* this.append(rows(selection.from + half, selection.count - half));
      return;
    }
    if (this.#bytes + bytes > batchBytesMax || this.#rows + selection.count > batchRowsMax)
      yield* this.flush();
    for (const encoder of this.#encoders) encoder.append(selection);
    this.#rows += selection.count;
    this.#bytes += bytes;
  }

  *flush(): Generator<IpcPiece, void, void> {
    if (this.#rows === 0) return;
    const columns = this.#encoders.map((encoder) => encoder.finish());
    for (const encoder of this.#encoders)
      for (const { id, delta, values } of encoder.dictionaries()) {
        const plan = planBatch(values.length, [values]);
        yield this.#message(encodeDictionaryHeader(id, delta, plan.layout), plan);
      }
    const plan = planBatch(this.#rows, columns);
    const made = this.#message(encodeRecordBatchHeader(plan.layout), plan);
    for (const encoder of this.#encoders) encoder.clear();
    this.#rows = 0;
    this.#bytes = 0;
    yield made;
  }

  #message(header: Uint8Array, { layout, write }: BatchPlan): IpcPiece {
    // Every byte of it is written, whatever was in it.
    const body = this.#pool.take(layout.bodyBytes);
    write(body);
    return { header: new Uint8Array(header), body };
  }
}
