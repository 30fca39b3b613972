import { FrameholdError } from '../../model/errors.ts';
import { formatsFor } from '../protocol/client-messages.ts';
import {
  commandComplete,
  copyDone,
  emptyQuery,
  portalSuspended,
  type ResultColumn,
} from '../protocol/server-messages.ts';
import { LimitedRows } from './limited-rows.ts';
import { boolColumn, ListedRows, textColumn } from './listed-rows.ts';
import { moveError } from './moved-error.ts';
import type { Portal } from './portals.ts';
import type { PreparedText } from './prepared-texts.ts';
import type { Rows } from './rows.ts';
import { runSessionCommand } from './session-commands.ts';
import { callFunction, functionColumn } from './session-functions.ts';
import { checkCommand, type Operation, requestOf, type SessionState, warn } from './session-state.ts';
import { settingRules } from './setting-table.ts';
import { replaceParameters } from './typed-parameters.ts';

/** Columns of what needs no engine; null: no rows, or the engine knows. */
export function ownColumns(state: SessionState, { command }: PreparedText): readonly ResultColumn[] | null {
  switch (command.kind) {
    case 'show':
      if (command.name === null) return ['name', 'setting', 'description'].map(textColumn);
      return [textColumn(settingRules.get(command.name)?.name ?? command.name)];
    case 'functions':
      return command.calls.map(functionColumn);
    case 'signal':
      return [boolColumn(command.title)];
    case 'fetch':
      return state.portals.get(command.name).rows?.columns ?? null;
    default:
      return null;
  }
}

/** Begins what gives rows, so that its columns are known. Nothing happens for anything else. */
export async function startRows(state: SessionState, portal: Portal, operation: Operation): Promise<void> {
  checkCommand(state, portal.prepared.command, operation.caller);
  if (portal.state !== 'bound') return;
  const rows = await rowsOf(state, portal, operation);
  if (rows === null) return;
  const { announced } = portal.prepared;
  if (announced !== null && !isSame(announced, rows.columns)) {
    await rows.close();
    throw new FrameholdError('bad_request', 'The statement gives other columns than when it was described.', {
      sqlState: '0A000',
      hint: 'cached plan must not change result type: prepare the statement again.',
    });
  }
  portal.rows = rows;
  portal.state = 'open';
}

async function rowsOf(state: SessionState, portal: Portal, operation: Operation): Promise<Rows | null> {
  const { prepared, parameters } = portal;
  const { command, text, start } = prepared;
  switch (command.kind) {
    case 'query':
      portal.tag = command.tag;
      return await engineRows(state, operation, text, parameters, start);
    case 'execute': {
      portal.tag = 'SELECT';
      const inner = state.prepared.get(command.name);
      checkCommand(state, inner.command, operation.caller);
      if (inner.command.kind !== 'query')
        throw new FrameholdError('unimplemented', 'EXECUTE runs queries only.', {
          hint: 'Send the statement itself.',
        });
      checkCount(inner, command.values.length);
      const replaced = replaceParameters(
        inner.text,
        state.textBytesMax,
        (number) => `(${command.values[number - 1]})`,
      );
      return await engineRows(state, operation, replaced, null, null);
    }
    case 'show': {
      portal.tag = 'SHOW';
      return new ListedRows(ownColumns(state, prepared) ?? [], shownRows(state, command.name));
    }
    case 'functions': {
      portal.tag = 'SELECT';
      const row = command.calls.map((call) => callFunction(state, call));
      return new ListedRows(command.calls.map(functionColumn), [row]);
    }
    case 'signal': {
      portal.tag = 'SELECT';
      const came = await state.signals.signal(operation.caller, command.backend, command.ends);
      if (came === 'only cancelled')
        warn(
          state,
          '01000',
          'The session is one of another node: its statement is cancelled, and the session stays.',
        );
      return new ListedRows([boolColumn(command.title)], [[came === 'nobody' ? 'f' : 't']]);
    }
    case 'fetch':
    case 'move': {
      const cursor = state.portals.get(command.name);
      portal.tag = command.kind === 'fetch' ? 'FETCH' : 'MOVE';
      if (cursor.rows === null)
        throw new FrameholdError('bad_request', 'The cursor has no rows.', {
          sqlState: '55000',
          hint: 'Declare it for a query.',
        });
      const { rows } = cursor;
      const formats = formatsFor(cursor.resultFormats, rows.columns.length, 'columns');
      return new LimitedRows(waiting(state, cursor, rows), {
        rowsMax: command.rows,
        moveIn: command.kind === 'move' ? formats : null,
      });
    }
    default:
      return null;
  }
}

/** The rows of a cursor, which may wait no longer while they are read, and wait again afterwards. */
function waiting({ portals }: SessionState, cursor: Portal, rows: Rows): Rows {
  return {
    columns: rows.columns,
    take: async (request) => {
      portals.use(cursor);
      const taken = await rows.take(request);
      if (!taken.hasEnded) portals.wait(cursor);
      return taken;
    },
    close: async () => {},
  };
}

async function engineRows(
  state: SessionState,
  operation: Operation,
  text: string,
  parameters: Portal['parameters'],
  start: number | null,
): Promise<Rows> {
  try {
    const rows = await state.statements.rows({ ...requestOf(state, operation), text, parameters });
    if (rows.notice !== null) warn(state, '01000', rows.notice);
    return rows;
  } catch (thrown) {
    throw moveError(thrown, start);
  }
}

function shownRows({ settings }: SessionState, name: string | null): readonly (readonly string[])[] {
  if (name !== null) return [[settings.shown(name)]];
  return [...settings.named].map(([each, value]) => [each, value, '']);
}

/** Runs to the end, or so many rows (0: all) of it. */
export async function runPortal(
  state: SessionState,
  portal: Portal,
  rowsMax: number,
  operation: Operation,
): Promise<void> {
  const { outbox, portals } = state;
  const { prepared } = portal;
  portals.use(portal);
  await startRows(state, portal, operation);
  if (portal.rows !== null) return await runRows(state, portal, rowsMax, operation);
  if (portal.state === 'finished')
    throw new FrameholdError('bad_request', `The portal ${JSON.stringify(portal.name)} has run already.`, {
      sqlState: '55000',
      hint: 'Bind the statement again.',
    });
  portal.state = 'finished';
  const { command } = prepared;
  if (command.kind === 'empty') outbox.add(emptyQuery);
  else if (command.kind === 'copy') await runCopy(state, portal, operation);
  else outbox.add(commandComplete(await runSessionCommand(state, prepared, portal.parameters, operation)));
}

async function runRows(
  { outbox, portals }: SessionState,
  portal: Portal,
  rowsMax: number,
  { signal }: Operation,
): Promise<void> {
  const rows = portal.rows as Rows;
  const formats = formatsFor(portal.resultFormats, rows.columns.length, 'columns');
  const isOver = portal.state === 'finished';
  const { count, hasEnded } = isOver
    ? { count: 0, hasEnded: true }
    : await rows.take({ formats, rowsMax, outbox, signal });
  if (hasEnded) portal.state = 'finished';
  else portals.wait(portal);
  outbox.add(hasEnded ? commandComplete(tagOf(portal.tag, count)) : portalSuspended);
}

/** EXPLAIN and SHOW count nothing. */
function tagOf(tag: string, count: number): string {
  return tag === 'EXPLAIN' || tag === 'SHOW' ? tag : `${tag} ${count}`;
}

async function runCopy(state: SessionState, portal: Portal, operation: Operation): Promise<void> {
  const { outbox, statements } = state;
  const { command, start } = portal.prepared;
  if (command.kind !== 'copy') throw new Error('only COPY copies');
  const { inner, options } = command;
  const request = { ...requestOf(state, operation), text: inner.text, parameters: portal.parameters };
  try {
    const count = await statements.copy(request, options, outbox);
    outbox.add(copyDone);
    outbox.add(commandComplete(`COPY ${count}`));
  } catch (thrown) {
    // The text of `COPY table` is not the client's.
    const isOwn = portal.prepared.text.startsWith(inner.text, inner.start);
    throw moveError(thrown, isOwn ? start + inner.start : null);
  }
}

export function checkCount({ parameterCount }: PreparedText, given: number): void {
  if (parameterCount === given) return;
  throw new FrameholdError(
    'bad_request',
    `The statement has ${parameterCount} parameters, and ${given} values were given.`,
    {
      sqlState: '08P01',
      hint: 'Give a value for each of $1, $2 ….',
    },
  );
}

function isSame(announced: readonly ResultColumn[], columns: readonly ResultColumn[]): boolean {
  return (
    announced.length === columns.length &&
    announced.every(({ oid, name }, index) => oid === columns[index]?.oid && name === columns[index]?.name)
  );
}
