import { columnsParameter } from '../columns-parameter.ts';
import { incompleteAnswer, unreadableAnswer } from '../errors.ts';
import type { RowBatch } from '../row-batch.ts';
import { Rows } from '../rows.ts';
import { pathPart, type Transport } from '../transport.ts';
import { type FollowOptions, followFrame, type ReadAfter } from './follow-frame.ts';
import { formatPosition, handleAfter, type Position } from './position.ts';

/** Rows that were added to a frame. */
export interface FollowedBatch extends RowBatch {
  /** Give it to `since` to go on after these rows. */
  readonly position: string;
}

/** The same as text, as the server writes it. */
export interface FollowedText {
  readonly position: string;
  /** Where these rows are: `name@12..20`. */
  readonly handle: string;
  readonly rowCount: number;
  /** CSV has the names of the columns in its first line, each time. */
  readonly text: string;
}

export interface FollowTextOptions extends FollowOptions {
  readonly format: 'csv' | 'ndjson';
}

/** Text is taken whole, so that one that breaks off can be asked for again: some megabytes of usual rows. */
const pageRowsMax = 10_000;

export function followRows(
  transport: Transport,
  name: string,
  options: FollowOptions,
): AsyncGenerator<FollowedBatch, void, void> {
  const read: ReadAfter<FollowedBatch> = async function* (position, limit) {
    const answer = await ask(transport, name, position, { ...options, format: 'arrow', limit });
    const range = rangeOf(answer, position);
    const rows = await Rows.open(answer, { signal: options.signal });
    let count = position.rows;
    for await (const batch of rows) {
      count += batch.rowCount;
      const reached = range.at(count);
      yield {
        item: Object.assign(batch, { position: formatPosition(reached) }),
        rowCount: batch.rowCount,
        position: reached,
      };
    }
    yield { item: null, rowCount: 0, position: range.at(count) };
  };
  return followFrame(transport, name, read, options);
}

export function followText(
  transport: Transport,
  name: string,
  options: FollowTextOptions,
): AsyncGenerator<FollowedText, void, void> {
  const read: ReadAfter<FollowedText> = async function* (position, rowsMax = pageRowsMax) {
    const limit = Math.min(rowsMax, pageRowsMax);
    const answer = await ask(transport, name, position, { ...options, limit });
    const range = rangeOf(answer, position);
    const text = await wholeText(answer, options.signal);
    const rowCount = Math.min(limit, range.total - position.rows);
    const reached = range.at(position.rows + rowCount);
    const item = { position: formatPosition(reached), handle: range.handle, rowCount, text };
    yield { item: rowCount > 0 ? item : null, rowCount, position: reached };
  };
  return followFrame(transport, name, read, options);
}

interface Wanted extends Omit<FollowOptions, 'limit'> {
  readonly format: 'arrow' | 'csv' | 'ndjson';
  readonly limit: number | undefined;
}

async function ask(
  transport: Transport,
  name: string,
  position: Position,
  { format, limit, columns, signal }: Wanted,
): Promise<Response> {
  return await transport.send(`v1/frames/${pathPart(handleAfter(name, position))}/rows`, {
    parameters: {
      fmt: format,
      limit,
      offset: position.rows === 0 ? undefined : position.rows,
      columns: columnsParameter(columns),
    },
    signal,
  });
}

interface Range {
  readonly handle: string;
  readonly total: number;
  /** Where so many of its rows end. */
  at(rows: number): Position;
}

function rangeOf({ headers }: Response, { after }: Position): Range {
  const handle = headers.get('framehold-handle') ?? '';
  const [, end] = /@[0-9]{1,15}\.\.([0-9]{1,15})$/.exec(handle) ?? [];
  const total = Number(headers.get('framehold-rows-total') ?? Number.NaN);
  if (end === undefined || !Number.isSafeInteger(total))
    throw unreadableAnswer(
      'The answer does not say which rows it has.',
      'Update the server: it has to know rows since a version. A page of another origin is sent headers only if the server allows it.',
    );
  const until = Number(end);
  return {
    handle,
    total,
    at: (rows) => (rows < total ? { after, until, rows } : { after: until, rows: 0 }),
  };
}

async function wholeText(answer: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await answer.text();
  } catch (thrown) {
    signal?.throwIfAborted();
    throw incompleteAnswer(undefined, thrown);
  }
}
