import type { Schema, Table } from '@uwdata/flechette';
import type { ColumnType } from './answers.ts';
import { ByteReader } from './arrow/byte-reader.ts';
import { BatchReader, type ReadBatch, tableOf } from './arrow/row-batches.ts';
import { columnType } from './column-type.ts';
import { FrameholdError, incompleteAnswer, unreadableAnswer } from './errors.ts';
import { RowBatch } from './row-batch.ts';

export interface RowsContext {
  /** At most so many rows are given. The server was asked for one more, to know whether there are more. */
  readonly rowsMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Why a statement failed after its first rows; the status had been sent by then. */
  readonly failureOf?: ((queryId: string) => Promise<FrameholdError | null>) | undefined;
}

/** Rows as they arrive. They can be read once, with `for await` or with `table()`; to stop earlier, leave the loop or call `cancel()`. */
export class Rows implements AsyncIterable<RowBatch> {
  readonly kind = 'rows';
  readonly schema: Schema;
  /** Names and types as manifests have them. */
  readonly columns: readonly ColumnType[];
  /** The version that was read, as `name@version`; of rows since a version, `name@12..20`. */
  readonly handle: string | undefined;
  /** Rows of this version, or of these rows since a version. */
  readonly rowsTotal: number | undefined;
  readonly queryId: string | undefined;
  /** The versions that a statement read. */
  readonly sources: readonly string[];
  /** Milliseconds that the server took, by step. */
  readonly timings: Readonly<Record<string, number>>;
  readonly #reader: ByteReader;
  readonly #batches: BatchReader;
  readonly #context: RowsContext;
  #isCut: boolean;
  #isTaken = false;

  private constructor(answer: Response, reader: ByteReader, batches: BatchReader, context: RowsContext) {
    const { headers } = answer;
    const rowsTotal = headers.get('framehold-rows-total');
    this.schema = batches.schema;
    this.columns = batches.schema.fields.map(columnType);
    this.handle = headers.get('framehold-handle') ?? undefined;
    this.rowsTotal = rowsTotal === null ? undefined : Number(rowsTotal);
    this.queryId = headers.get('framehold-query-id') ?? undefined;
    this.sources = headers.get('framehold-sources')?.split(', ') ?? [];
    this.timings = timingsOf(headers.get('server-timing') ?? '');
    this.#isCut = headers.has('framehold-cursor');
    this.#reader = reader;
    this.#batches = batches;
    this.#context = context;
  }

  /** Waits for the schema; the rows come later. */
  static async open(answer: Response, context: RowsContext): Promise<Rows> {
    const queryId = answer.headers.get('framehold-query-id') ?? undefined;
    const { body } = answer;
    if (body === null) throw incompleteAnswer(queryId);
    const reader = new ByteReader(body, queryId);
    try {
      return new Rows(answer, reader, await BatchReader.open(reader), context);
    } catch (thrown) {
      await reader.cancel().catch(() => {});
      throw await explain(thrown, queryId, context);
    }
  }

  /** Whether `limit` left rows out. For a statement this is known when its last row has been read. */
  get cut(): boolean {
    return this.#isCut;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowBatch, void, void> {
    for await (const batch of this.#read()) yield new RowBatch(this.schema, batch);
  }

  /** All rows. They have to fit into memory. */
  async table(): Promise<Table> {
    const batches: ReadBatch[] = [];
    for await (const batch of this.#read()) batches.push(batch);
    return tableOf(this.schema, batches);
  }

  /** Stops reading; the server stops the statement. */
  async cancel(): Promise<void> {
    this.#isTaken = true;
    await this.#reader.cancel().catch(() => {});
  }

  async *#read(): AsyncGenerator<ReadBatch, void, void> {
    if (this.#isTaken)
      throw new TypeError('These rows have been read already: rows are kept nowhere. Ask for them again.');
    this.#isTaken = true;
    const { rowsMax = Number.POSITIVE_INFINITY } = this.#context;
    let isWhole = false;
    try {
      for (let left = rowsMax; ; ) {
        const batch = await this.#batches.next(left);
        if (batch === null) break;
        left -= batch.rowCount;
        this.#isCut ||= batch.isCut;
        if (batch.rowCount > 0) yield batch;
        if (batch.isCut) return;
      }
      await this.#reader.end();
      isWhole = true;
    } catch (thrown) {
      throw await explain(thrown, this.queryId, this.#context);
    } finally {
      if (!isWhole) await this.#reader.cancel().catch(() => {});
    }
  }
}

async function explain(thrown: unknown, queryId: string | undefined, context: RowsContext): Promise<unknown> {
  const { signal, failureOf } = context;
  if (signal?.aborted) return signal.reason;
  if (!(thrown instanceof FrameholdError))
    return unreadableAnswer(
      'The answer is not a valid Arrow stream.',
      'Read the frame in another format, such as fmt=csv.',
      thrown,
    );
  if (thrown.code !== 'incomplete_answer' || queryId === undefined) return thrown;
  return (await failureOf?.(queryId).catch(() => null)) ?? thrown;
}

/** `queue;dur=0.1, prepare;dur=12.3` */
function timingsOf(header: string): Record<string, number> {
  const timings: Record<string, number> = {};
  for (const entry of header.split(', ')) {
    const [name = '', duration = ''] = entry.split(';dur=');
    if (duration !== '') timings[name] = Number(duration);
  }
  return timings;
}
