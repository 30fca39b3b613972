import {
  columnType,
  type FollowedBatch,
  type FollowOptions,
  type Framehold,
  FrameholdError,
} from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { Interrupted } from '../interrupted.ts';
import { wantsTable } from '../output/answers.ts';
import { rowsText } from '../output/readable-numbers.ts';
import { isNumberType } from '../output/rows-table.ts';
import { safeText } from '../output/safe-text.ts';
import { OutputClosed } from '../output/standard-output.ts';
import { tableOfRows } from '../output/terminal-table.ts';
import { UsageError } from '../usage-error.ts';
import { withoutHeader } from './csv-header.ts';
import { disconnectedText } from './disconnected-text.ts';
import { eventFlags } from './row-flags.ts';

const positionPattern = /^(0|[1-9][0-9]{0,14})(\.\.[1-9][0-9]{0,14}\+[1-9][0-9]{0,14})?$/;
/** Rows of one table on a terminal: its widths are known when it is whole, and a person does not scroll back further. */
const tableRowsMax = 1_000;

/** Writes rows as they are added. Says on standard error where to go on: rows that were written whole are behind that place, all others before it. */
export async function watchRows(call: Call): Promise<number> {
  const name = nameIn(call);
  const options = followOptions(call);
  if (options.limit === 0) return 0;
  const client = await call.connect();
  await announceMissing(call, client, name, options);
  let position: string | undefined;
  const written = (reached: string) => {
    position = reached;
  };
  try {
    if (wantsTable(call)) await writeTables(call, client.frames.follow(name, options), written);
    else await writeText(call, client, name, options, written);
  } catch (thrown) {
    if (position !== undefined && !(thrown instanceof OutputClosed)) tell(call, name, position);
    throw explained(thrown);
  }
  if (position !== undefined) tell(call, name, position);
  return 0;
}

function nameIn({ words, options }: Call): string {
  const flag = eventFlags.find((each) => options.has(each));
  if (flag !== undefined)
    throw new UsageError(`--${flag} is for changes, not for rows.`, 'Leave out one of them.');
  const [name, second] = words;
  if (name === undefined || second !== undefined || name.endsWith('*'))
    throw new UsageError('Rows are those of one frame.', 'Usage: framehold watch --rows NAME');
  const [plain = '', version] = name.split('@', 2);
  if (version !== undefined)
    throw new UsageError(
      `${JSON.stringify(name)} is not the name of a frame.`,
      `Write framehold watch --rows ${plain} --since ${Number.parseInt(version, 10) || 0}`,
    );
  return name;
}

function followOptions({ options, errors, signal }: Call): FollowOptions {
  if (options.text('format') === 'json')
    throw new UsageError(
      'Rows that go on have no end, as JSON needs.',
      'Give --format ndjson: a JSON object a row.',
    );
  const since = options.text('since');
  if (since !== undefined && !positionPattern.test(since))
    throw new UsageError(
      `--since ${JSON.stringify(since)} is not a position.`,
      'Give a version, as in --since 12, 0 for all rows, or a position that this command printed.',
    );
  const [limit, columns, timeout] = [
    options.count('count'),
    options.list('columns'),
    options.count('timeout'),
  ];
  return {
    signal,
    onDisconnected: (error, retryInMs) => errors.write(disconnectedText(error, retryInMs)),
    ...(since === undefined ? {} : { since }),
    ...(limit === undefined ? {} : { limit }),
    ...(columns === undefined ? {} : { columns }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
  };
}

/** A name may be misspelt, and waiting would not show it. */
async function announceMissing(
  { errors, signal }: Call,
  client: Framehold,
  name: string,
  { timeoutMs }: FollowOptions,
): Promise<void> {
  if (timeoutMs === 0) return;
  try {
    await withFrameHint(client, name, () => client.frames.get(name, { signal }), '');
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof FrameholdError) || !/^frame_(not_found|gone)$/.test(thrown.code)) return;
    errors.write(`${safeText(`${thrown.detail} Waiting for it. ${thrown.hint ?? ''}`.trimEnd())}\n`);
  }
}

async function writeText(
  { options, output }: Call,
  client: Framehold,
  name: string,
  wanted: FollowOptions,
  written: (position: string) => void,
): Promise<void> {
  const format = options.text('format') === 'csv' ? 'csv' : 'ndjson';
  let isFirst = true;
  for await (const { text, position } of client.frames.followText(name, { ...wanted, format })) {
    const shown = format === 'csv' && !isFirst ? withoutHeader(text) : text;
    await output.write(output.isTerminal ? safeText(shown.replaceAll('\r\n', '\n'), '\n\t') : shown);
    isFirst = false;
    written(position);
  }
}

async function writeTables(
  { output }: Call,
  batches: AsyncIterable<FollowedBatch>,
  written: (position: string) => void,
): Promise<void> {
  for await (const { columns, rows, position } of tables(batches)) {
    const text = tableOfRows(columns, rows, output.width);
    await output.write(text);
    await output.line(`(${rowsText(rows.length)}, up to ${position})`);
    written(position);
  }
}

interface ShownRows {
  readonly columns: readonly { readonly title: string; readonly isRight: boolean }[];
  readonly rows: (string | null)[][];
  position: string;
}

/** What was read at once: thousands of versions with a row each are not as many tables. */
async function* tables(batches: AsyncIterable<FollowedBatch>): AsyncGenerator<ShownRows, void, void> {
  let shown: ShownRows | null = null;
  for await (const batch of batches) {
    shown ??= { columns: columnsOf(batch), rows: [], position: batch.position };
    for (let row = 0; row < batch.rowCount; row++) {
      shown.rows.push(shown.columns.map((_, column) => batch.text(row, column)));
    }
    shown.position = batch.position;
    const isWhole = !batch.position.includes('+');
    if (!isWhole && shown.rows.length < tableRowsMax) continue;
    yield shown;
    shown = null;
  }
  if (shown !== null) yield shown;
}

function columnsOf({ table }: FollowedBatch): ShownRows['columns'] {
  return table.schema.fields.map((field) => {
    const { name, type } = columnType(field);
    return { title: name, isRight: isNumberType(type) };
  });
}

function tell({ errors }: Call, name: string, position: string): void {
  errors.write(`${safeText(`${name} is written up to ${position}; --since ${position} goes on.`)}\n`);
}

/** Hints name handles to read; here they are positions. */
function explained(thrown: unknown): unknown {
  if (thrown instanceof Interrupted || !(thrown instanceof FrameholdError)) return thrown;
  const { code, status, title, detail, hint, requestId } = thrown;
  if (hint === undefined || (code !== 'not_append_only' && code !== 'position_unknown')) return thrown;
  const here = hint.replaceAll(/@([0-9]{1,15})\.\./g, ' with --since $1');
  return new FrameholdError({ code, status, title, detail, hint: here, requestId, cause: thrown });
}
