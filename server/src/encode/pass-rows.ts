import { open } from 'node:fs/promises';
import { batchSummary } from '../arrow/ipc/message.ts';
import { type ByteSource, MessageReader } from '../arrow/ipc/message-reader.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import { sourceOf } from './pass-through.ts';
import { RowWindow } from './rows/row-window.ts';
import type { RowsJob, SoughtSource } from './rows/rows-job.ts';

/** The rows of a job, which are some of one batch, as messages. */
export type CutBatch = (job: RowsJob) => AsyncIterable<IpcMessage>;

/** A dictionary that is read alone: its header and, if it is small, its body. */
const aloneBytes = 16 * 1024;

/**
 * Rows of Arrow files, all columns: batches that are wanted whole pass through as they were put, on the main thread. Only those at the ends of
 * the range are cut. A message's body must have been read before the next message is asked for.
 */
export async function* passRows(
  job: RowsJob,
  cut: CutBatch,
  signal: AbortSignal,
): AsyncGenerator<IpcMessage, void, void> {
  const window = new RowWindow(job.offset, job.rowCount);
  for (const source of job.sources) {
    if (window.remaining === 0) return;
    if (source.rows <= window.skip) window.take(source.rows);
    else yield* passPart(source, window, (part) => cut({ ...job, ...part }), signal);
  }
  if (window.remaining > 0) throw new Error(`the parts hold ${window.remaining} rows less than the version`);
}

type Part = Pick<RowsJob, 'sources' | 'offset' | 'rowCount'>;

async function* passPart(
  source: SoughtSource,
  window: RowWindow,
  cut: (part: Part) => AsyncIterable<IpcMessage>,
  signal: AbortSignal,
): AsyncGenerator<IpcMessage, void, void> {
  const [path] = source.paths;
  if (path === undefined) throw new Error('a part without any file');
  await using file = await open(path);
  const bytes = sourceOf(file, signal);
  const { rows = 0, position = 0, dictionaries = [] } = source.seek ?? {};
  for (const each of dictionaries) yield await dictionaryAt(bytes, each);
  window.take(rows);
  const reader = new MessageReader(bytes, { position });
  for (let rowsBefore = rows; window.remaining > 0; ) {
    const message = await reader.next();
    if (message === null) return;
    const summary = batchSummary(message.header);
    if (summary.kind === 'dictionary') yield message;
    if (summary.kind !== 'record-batch') continue;
    const { from, to } = window.take(summary.rows);
    if (from < to && to - from === summary.rows) yield message;
    else if (from < to) {
      // The dictionaries have gone out already, and indices are cut without them.
      const seek = { rows: rowsBefore, position: message.position, dictionaries: [] };
      yield* cut({ sources: [{ ...source, seek }], offset: rowsBefore + from, rowCount: to - from });
    }
    rowsBefore += summary.rows;
  }
}

async function dictionaryAt(bytes: ByteSource, position: number): Promise<IpcMessage> {
  const message = await new MessageReader(bytes, { position, windowBytes: aloneBytes }).next();
  if (message === null || batchSummary(message.header).kind !== 'dictionary')
    throw new Error('a dictionary is not where it was');
  return message;
}
