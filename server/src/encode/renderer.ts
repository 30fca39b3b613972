import { endOfStream, frameHeader } from '../arrow/ipc/framing.ts';
import { readBody } from '../arrow/ipc/message-reader.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Column } from '../model/version.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import type { JoinableFile, ParquetJoiner, PlacedFile } from '../ports/parquet-joiner.ts';
import type { PartSource, Reading } from '../ports/reading.ts';
import type { IpcMessage, Renderer, RowShape, StreamedRows, StreamOptions } from '../ports/renderer.ts';
import type { JobInput } from '../workers/job.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import { WorkerExit } from '../workers/worker-exit.ts';
import { arrowStream } from './arrow.ts';
import { FilePositions } from './file-positions.ts';
import { passRows } from './pass-rows.ts';
import { passBytes, passMessages } from './pass-through.ts';
import type { ArrowPositions } from './positions/arrow-positions.ts';
import { renderedStream } from './render-rows.ts';
import { rowWriter } from './row-writers.ts';
import { schemaOf } from './rows/arrow-steps.ts';
import { chooseFields } from './rows/chosen-fields.ts';
import type { JoinJob, RenderJob, RowsJob, SameSchemaJob, StreamJob } from './rows/rows-job.ts';
import { isPlain, takeBeginning, wholeOf } from './rows/small-result.ts';

export interface RenderPools {
  /** Many jobs share a thread. */
  readonly shared: ThreadPool;
  /** For jobs whose shared thread is gone, through one of them: each goes on with nobody beside it. */
  readonly alone: ThreadPool;
  /** A thread for each job, because a trap in the Parquet library ends it. */
  readonly parquet: ThreadPool;
}

/** A job gives way after milliseconds, and after a second or two if a batch is as large as it may be. */
export const renderTurnMsMax = 30_000;

/** Arrow files pass through on the main thread, as far as whole batches of them are wanted; everything else is made by worker threads, but for small results. */
export class WorkerRenderer implements Renderer, ParquetJoiner {
  readonly #pools: RenderPools;
  readonly #positions: FilePositions;

  constructor(pools: RenderPools) {
    this.#pools = pools;
    this.#positions = new FilePositions({
      arrow: (path) => this.#pools.shared.run<ArrowPositions>('arrow-positions', path),
      parquet: (paths) => this.#pools.shared.run<Float64Array>('parquet-rows', paths),
    });
  }

  async *render(
    reading: Reading,
    options: RowShape,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { write, thread } = rowWriter(options);
    if (write === undefined) {
      yield* this.#arrowStream(reading, signal);
      return;
    }
    const job: RenderJob = {
      ...(await this.#positions.locate(rowsJob(reading))),
      options,
      chosenSchemaMessage: await this.schemaMessage(reading),
      columnNames: chosenColumns(reading),
    };
    if (thread === 'own' || needsParquet(reading)) yield* this.#renderParquet(job, signal);
    else yield* this.#renderShared(job, signal);
  }

  async *#renderParquet(job: RenderJob, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* this.#pools.parquet.stream<Uint8Array>('render', job, signal);
    } catch (thrown) {
      if (!(thrown instanceof WorkerExit) || thrown.reason !== 'stuck') throw lossRefusal(thrown);
      throw new FrameholdError(
        'not_representable',
        `A batch of the frame took longer than ${renderTurnMsMax / 1_000} s to be written or read as Parquet.`,
        { hint: 'Its values expand far beyond their stored size: read it as arrow, or read fewer rows.' },
      );
    }
  }

  /** If another job has taken the shared thread with it, the same bytes are made again alone, and those given before are left out. */
  async *#renderShared(job: RenderJob, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    let given = 0;
    try {
      for await (const chunk of this.#pools.shared.stream<Uint8Array>('render', job, signal)) {
        given += chunk.length;
        yield chunk;
      }
    } catch (thrown) {
      if (!canGoOnAlone(thrown)) throw lossRefusal(thrown);
      for await (const chunk of refusing(this.#pools.alone.stream<Uint8Array>('render', job, signal))) {
        if (chunk.length > given) yield chunk.subarray(given);
        given = Math.max(0, given - chunk.length);
      }
    }
  }

  async *renderStream(
    rows: StreamedRows,
    options: StreamOptions,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { columns, messages } = rows;
    const { write, thread, isByValue } = rowWriter(options);
    const schemaMessage = isByValue ? rows.markedSchemaMessage : rows.schemaMessage;
    if (write === undefined && options.limit === undefined) {
      yield* arrowStream(schemaMessage, passedOn(messages, signal));
      return;
    }
    const job: StreamJob = { schemaMessage, columnNames: columns, options };
    const pool = thread === 'own' ? this.#pools.parquet : this.#pools.shared;
    const pieces = piecesOf(messages, signal);
    const toPool = (all: AsyncIterable<OwnPiece>) =>
      refusing(pool.streamFed<Uint8Array>('render-stream', job, inputsOf(all), signal));
    const schema = isByValue ? withWideIntegers(schemaOf(schemaMessage)) : null;
    if (schema === null || !schema.fields.every(isPlain)) {
      yield* toPool(pieces);
      return;
    }
    const beginning = await takeBeginning(pieces, schema.fields.length);
    const all = wholeOf(beginning);
    try {
      yield* beginning.rest === null ? renderedStream(job, schema, all, signal) : toPool(all);
    } finally {
      // A reader that leaves after the first bytes may leave before anything was asked of `all`.
      await beginning.rest?.return?.();
    }
  }

  async *messages(reading: Reading, signal: AbortSignal): AsyncGenerator<IpcMessage, void, void> {
    const paths = wholeFiles(reading);
    if (paths !== null) yield* passMessages(paths, signal);
    else if (reading.columns === null && !needsParquet(reading)) {
      const job = await this.#positions.locate(rowsJob(reading));
      yield* passRows(job, (part) => messagesOf(this.#arrowPieces(part, signal)), signal);
    } else yield* messagesOf(this.#pieces(reading, signal));
  }

  async schemaMessage(reading: Reading): Promise<Uint8Array> {
    const { message } = reading.record.schema;
    if (reading.columns === null) return message;
    const schema = schemaOf(message);
    return encodeSchema({ ...schema, fields: chooseFields(schema, reading.columns) });
  }

  examine(
    paths: readonly string[],
    schemaMessage: Uint8Array | null,
    signal: AbortSignal,
  ): Promise<readonly (JoinableFile | null)[]> {
    const job: SameSchemaJob = { paths, schemaMessage };
    return this.#pools.shared.run('examine-parquet', job, signal);
  }

  end(
    files: readonly PlacedFile[],
    dataEnd: number,
    rows: number,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    const job: JoinJob = { files, dataEnd, rows };
    return this.#pools.shared.stream<Uint8Array>('end-of-parquet', job, signal);
  }

  /** For the metrics. */
  get pools(): readonly ThreadPool[] {
    return Object.values({ ...this.#pools });
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  async *#arrowStream(reading: Reading, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    yield frameHeader(await this.schemaMessage(reading));
    const paths = wholeFiles(reading);
    if (paths !== null) yield* passBytes(paths, signal);
    else
      for await (const { header, body } of this.#pieces(reading, signal)) {
        yield frameHeader(header);
        if (body.length > 0) yield body;
      }
    yield endOfStream;
  }

  async *#pieces(reading: Reading, signal: AbortSignal): AsyncGenerator<IpcPiece, void, void> {
    const job = await this.#positions.locate(rowsJob(reading));
    if (needsParquet(reading)) yield* refusing(this.#pools.parquet.stream<IpcPiece>('messages', job, signal));
    else yield* this.#arrowPieces(job, signal);
  }

  async *#arrowPieces(job: RowsJob, signal: AbortSignal): AsyncGenerator<IpcPiece, void, void> {
    let given = 0;
    try {
      for await (const piece of this.#pools.shared.stream<IpcPiece>('messages', job, signal)) {
        given++;
        yield piece;
      }
    } catch (thrown) {
      if (!canGoOnAlone(thrown)) throw lossRefusal(thrown);
      let seen = 0;
      for await (const piece of refusing(this.#pools.alone.stream<IpcPiece>('messages', job, signal)))
        if (++seen > given) yield piece;
    }
  }
}

/** A job that has stalled by itself would do so again. */
function canGoOnAlone(thrown: unknown): boolean {
  return thrown instanceof WorkerExit && thrown.reason !== 'stalled';
}

async function* refusing<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (thrown) {
    throw lossRefusal(thrown);
  }
}

/** What a caller can do about a job that was ended because it took too long. Any other error stays as it is. */
function lossRefusal(thrown: unknown): unknown {
  if (!(thrown instanceof WorkerExit) || (thrown.reason !== 'stalled' && thrown.reason !== 'stuck'))
    return thrown;
  return new FrameholdError('overloaded', 'The response was ended: rendering the rows made no progress.', {
    hint: 'Retry. If it fails again, read fewer rows or columns, or read the frame as arrow.',
    cause: thrown,
  });
}

/** The Arrow files of a reading that wants all rows of its sources, unchanged; else null. */
function wholeFiles({ sources, columns, offset, rowCount }: Reading): string[] | null {
  if (columns !== null || offset !== 0) return null;
  if (rowCount !== sources.reduce((rows, source) => rows + source.rows, 0)) return null;
  return sources.every(isArrow) ? sources.flatMap(({ paths }) => paths) : null;
}

function needsParquet({ sources }: Reading): boolean {
  return !sources.every(isArrow);
}

function isArrow({ kind }: PartSource): boolean {
  return kind === 'arrow';
}

/** A reading also has a function to release it, which cannot go to another thread. */
function rowsJob({ sources, record, columns, offset, rowCount }: Reading): RowsJob {
  return { sources, schemaMessage: record.schema.message, columns, offset, rowCount };
}

function chosenColumns({ record, columns }: Reading): readonly Column[] {
  if (columns === null) return record.schema.columns;
  return columns.map((index) => record.schema.columns[index] as Column);
}

interface OwnPiece extends IpcPiece {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Messages in memory of their own. */
async function* piecesOf(
  messages: AsyncIterable<IpcMessage>,
  signal: AbortSignal,
): AsyncGenerator<OwnPiece, void, void> {
  for await (const message of messages) {
    signal.throwIfAborted();
    // A copy, because it is small and may share a buffer with others.
    yield { header: new Uint8Array(message.header), body: await readBody(message) };
  }
}

/** A body of this size fills the buffer of any connection, so that its writer waits until it is written. */
const passedBytesMin = 256 * 1024;

/** Messages for a reader that has written each large body before it asks for the next: those are not copied. */
async function* passedOn(
  messages: AsyncIterable<IpcMessage>,
  signal: AbortSignal,
): AsyncGenerator<IpcPiece, void, void> {
  for await (const message of messages) {
    signal.throwIfAborted();
    const large = message.bodyBytes >= passedBytesMin ? message.peekBody?.() : undefined;
    yield { header: message.header, body: large ?? (await readBody(message)) };
  }
}

async function* inputsOf(pieces: AsyncIterable<OwnPiece>): AsyncGenerator<JobInput, void, void> {
  for await (const { header, body } of pieces)
    yield { value: { header, body }, transfer: [header.buffer, body.buffer] };
}

async function* messagesOf(pieces: AsyncIterable<IpcPiece>): AsyncGenerator<IpcMessage, void, void> {
  for await (const { header, body } of pieces)
    yield {
      header,
      bodyBytes: body.length,
      async readBody(target) {
        target.set(body);
      },
    };
}
