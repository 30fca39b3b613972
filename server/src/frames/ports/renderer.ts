import type { Reading } from '../reading.ts';

export type RowFormat = 'json' | 'csv' | 'ndjson' | 'arrow' | 'parquet';

export interface RenderOptions {
  readonly format: RowFormat;
  /** json: the value of the member `query`. */
  readonly query: string;
  /** json: 64-bit integers as strings. */
  readonly quoteLargeNumbers: boolean;
}

/** One IPC message. `readBody` fills exactly `bodyBytes` bytes of the target, so that a listener can read straight into its own frame. */
export interface IpcMessage {
  readonly header: Uint8Array;
  readonly bodyBytes: number;
  readBody(target: Uint8Array): Promise<void>;
}

/** Rows out of a reading. Both streams end early with an error when the signal aborts; neither releases the reading. */
export interface Renderer {
  /** The bytes of an answer, in chunks. not_representable where the format cannot hold the frame. */
  render(reading: Reading, options: RenderOptions, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Dictionary and record batches, without the schema message and the end marker. */
  messages(reading: Reading, signal: AbortSignal): AsyncIterable<IpcMessage>;
  /** The schema message of what `messages` gives: the version's own, or that of the chosen columns. */
  schemaMessage(reading: Reading): Promise<Uint8Array>;
  close(): Promise<void>;
}
