import type { FrameEvent, FrameholdEvent, StatementEvent } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { rowsText, timeText } from '../output/readable-numbers.ts';
import { safeText } from '../output/safe-text.ts';
import { UsageError } from '../usage-error.ts';
import { disconnectedText } from '../watch/disconnected-text.ts';
import { rowFlags } from '../watch/row-flags.ts';

/** Changes, or with `--rows` the rows that are added. Ends with Ctrl-C, after `--count` of them, or with an error that connecting again cannot solve. */
export async function run(call: Call): Promise<number> {
  if (call.options.has('rows')) return await (await import('../watch/watch-rows.ts')).watchRows(call);
  checkEventFlags(call);
  return await watchEvents(call);
}

async function watchEvents(call: Call): Promise<number> {
  const { words, options, output, errors, signal } = call;
  const countMax = options.count('count') ?? Number.POSITIVE_INFINITY;
  // A script may compute the number: none are awaited then, as with `head -n 0`.
  if (countMax === 0) return 0;
  const after = options.text('after');
  const client = await call.connect();
  let count = 0;
  for await (const event of client.events({ signal, ...(after === undefined ? {} : { after }) })) {
    if (event.kind === 'disconnected') {
      errors.write(disconnectedText(event.error, event.retryInMs));
      continue;
    }
    if (event.kind === 'reset') errors.write('Some events were missed: they are no longer kept.\n');
    if (!isSubject(event)) continue;
    if (event.kind === 'frame.settled' && !options.has('settled')) continue;
    if (!isWanted(event, words, options.has('statements'))) continue;
    if (wantsTable(call)) await output.line(safeText(describe(event)));
    else await printJson(call, event);
    if (++count >= countMax) return 0;
  }
  return 0;
}

function checkEventFlags({ options }: Call): void {
  const flag = rowFlags.find((each) => options.has(each));
  if (flag !== undefined)
    throw new UsageError(`--${flag} is for rows.`, `Write framehold watch --rows NAME --${flag} …`);
  const format = options.text('format');
  if (format === 'csv' || format === 'ndjson')
    throw new UsageError(
      `Changes cannot be shown as ${format}.`,
      'Give --format table or json; rows have csv and ndjson: framehold watch --rows NAME.',
    );
}

function isSubject(event: FrameholdEvent): event is FrameEvent | StatementEvent {
  return event.kind.startsWith('frame.') || event.kind.startsWith('statement.');
}

function isWanted(
  event: FrameEvent | StatementEvent,
  names: readonly string[],
  statements: boolean,
): boolean {
  if (isStatement(event)) return statements;
  if (names.length === 0) return true;
  return names.some((name) =>
    name.endsWith('*') ? event.name.startsWith(name.slice(0, -1)) : event.name === name,
  );
}

function isStatement(event: FrameEvent | StatementEvent): event is StatementEvent {
  return event.kind === 'statement.started' || event.kind === 'statement.ended';
}

function describe(event: FrameEvent | StatementEvent): string {
  if (isStatement(event))
    return `${timeText(event.startedAt)}  ${event.kind.padEnd(17)} ${event.state}  ${event.query}`;
  const { kind, at, name, version, rows } = event;
  return `${timeText(at)}  ${kind.padEnd(17)} ${name}@${version}${rows === undefined ? '' : `  ${rowsText(rows)}`}`;
}
