import type { Column } from '../model/version.ts';
import type { Reading } from './reading.ts';

/** What callers may ask for, in the order in which errors list them, and in which equally accepted ones are chosen. `encode/output-formats.ts` describes each. */
export const rowFormats = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const;

export type RowFormat = (typeof rowFormats)[number];

/** Rows in a format of callers. */
export interface RenderOptions {
  readonly format: RowFormat;
  /** json: the value of the member `query`. */
  readonly query: string;
  /** json: 64-bit integers as strings. */
  readonly quoteLargeNumbers: boolean;
}

/**
 * Rows as a listener needs them: the name of its writer (`encode/row-writers.ts`) and, as further members, what the writer must know. Plain data: it
 * goes to another thread.
 */
export interface WriterOptions {
  readonly writer: string;
}

export type RowShape = RenderOptions | WriterOptions;

/** One IPC message. `readBody` fills exactly `bodyBytes` bytes of the target, so that a listener can read straight into its own frame. */
export interface IpcMessage {
  readonly header: Uint8Array;
  readonly bodyBytes: number;
  readBody(target: Uint8Array): Promise<void>;
  /** The memory of the body, if it is in memory. It is reused when the next message is requested. */
  peekBody?(): Uint8Array;
}

/** Rows that are made while they are rendered, such as those of a statement. */
export interface StreamedRows {
  readonly schemaMessage: Uint8Array;
  /** The same with the marks of `arrow/schema/wide-integers.ts`, for writers of single values. */
  readonly markedSchemaMessage: Uint8Array;
  readonly columns: readonly Column[];
  /** Dictionary and record batches. Ends normally only if the rows are complete. */
  readonly messages: AsyncIterable<IpcMessage>;
}

export type StreamOptions = RowShape & {
  /** Maximum number of rows; the rest is not requested. */
  readonly limit?: number;
};

/** Rows out of a reading. Both streams end early with an error when the signal aborts; neither releases the reading. */
export interface Renderer {
  /** The bytes of an answer, in chunks. not_representable if the format cannot hold the frame. */
  render(reading: Reading, options: RowShape, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * The same for rows that are still being made, under back-pressure. If the messages fail, the answer fails with the same error: it never
   * ends as if it were complete.
   */
  renderStream(rows: StreamedRows, options: StreamOptions, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Dictionary and record batches, without the schema message and the end marker. */
  messages(reading: Reading, signal: AbortSignal): AsyncIterable<IpcMessage>;
  /** The schema message of what `messages` gives: the version's own, or that of the chosen columns. */
  schemaMessage(reading: Reading): Promise<Uint8Array>;
  close(): Promise<void>;
}
