import { bindParameters } from '../../encode/postgres/parameters.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import { type ClientMessage, formatsFor } from '../protocol/client-messages.ts';
import {
  bindComplete,
  closeComplete,
  noData,
  parameterDescription,
  parseComplete,
  rowDescription,
  textOid,
} from '../protocol/server-messages.ts';
import { type ListParameters, listParameters } from '../text/list-parameters.ts';
import { splitStatements } from '../text/split-statements.ts';
import { moveError } from './moved-error.ts';
import { engineText, prepareText } from './parse-text.ts';
import type { PreparedText } from './prepared-texts.ts';
import { checkCount, ownColumns, runPortal, startRows } from './run-portal.ts';
import { checkCommand, checkText, type Operation, requestOf, type SessionState } from './session-state.ts';
import type { StatementDescription, Statements } from './statements.ts';
import { arrayOidOf } from './typed-parameters.ts';

type Message<Kind extends ClientMessage['kind']> = Extract<ClientMessage, { kind: Kind }>;

export type ExtendedMessage = Message<'parse' | 'bind' | 'describe' | 'execute' | 'close'>;

/** One message of the extended protocol. */
export async function runExtended(
  state: SessionState,
  message: ExtendedMessage,
  operation: Operation,
): Promise<void> {
  switch (message.kind) {
    case 'parse':
      return parse(state, message, operation);
    case 'bind':
      return await bind(state, message, operation);
    case 'describe':
      return message.of === 'statement'
        ? await describeStatement(state, state.prepared.get(message.name), operation)
        : await describePortal(state, message.name, operation);
    case 'execute':
      return await runPortal(state, state.portals.get(message.portal), message.rowsMax, operation);
    case 'close':
      if (message.of === 'statement') state.prepared.remove(message.name);
      else await state.portals.close(message.name);
      state.outbox.add(closeComplete);
  }
}

/** The text whose places the error of a message are counted in; null: the message has none. */
export function textOfMessage(state: SessionState, message: ExtendedMessage): string | null {
  try {
    if (message.kind === 'parse') return message.text;
    if (message.kind === 'bind') return state.prepared.get(message.statement).whole;
    if (message.kind === 'execute') return state.portals.get(message.portal).prepared.whole;
    if (message.of === 'statement') return state.prepared.get(message.name).whole;
    return state.portals.get(message.name).prepared.whole;
  } catch {
    return null;
  }
}

function parse(state: SessionState, { name, text, types }: Message<'parse'>, { caller }: Operation): void {
  checkText(state, text);
  const parts = splitStatements(text);
  if (parts.length > 1)
    throw new FrameholdError('sql_invalid', 'A prepared statement is one statement only.', {
      hint: 'Parse each statement by itself, or send them as a simple query.',
    });
  const prepared = prepareText(name, text, parts[0] ?? { text: '', start: 0 }, types);
  checkCommand(state, prepared.command, caller);
  state.prepared.add(prepared);
  state.outbox.add(parseComplete);
}

async function bind(state: SessionState, message: Message<'bind'>, operation: Operation): Promise<void> {
  const prepared = state.prepared.get(message.statement);
  checkCommand(state, prepared.command, operation.caller);
  checkCount(prepared, message.values.length);
  const parameters = await parametersOf(state, prepared, message, operation);
  await state.portals.add({
    name: message.portal,
    prepared,
    parameters,
    boundBytes: message.values.reduce((sum, value) => sum + (value?.length ?? 0), 0),
    resultFormats: message.resultFormats,
    isHeld: false,
    isNew: state.transaction.isOpen,
    rows: null,
    tag: '',
    state: 'bound',
  });
  state.outbox.add(bindComplete);
}

async function parametersOf(
  state: SessionState,
  prepared: PreparedText,
  { values, formats }: Message<'bind'>,
  operation: Operation,
): Promise<StatementParameters | null> {
  if (values.length === 0) return null;
  const types = await parameterTypesOf(state, prepared, operation);
  return bindParameters(values, formatsFor(formats, values.length, 'parameters'), types);
}

/** What the client has stated, else what the engine finds out, else text. */
async function parameterTypesOf(
  state: SessionState,
  prepared: PreparedText,
  operation: Operation,
): Promise<readonly number[]> {
  const { types, parameterCount } = prepared;
  const stated = Array.from({ length: parameterCount }, (_, index) => types[index] ?? 0);
  if (!stated.includes(0)) return stated;
  const { parameters } = await describe(state, prepared, operation);
  return stated.map((oid, index) => oid || parameters[index] || textOid);
}

/** Asked once for each prepared statement. */
async function describe(
  state: SessionState,
  prepared: PreparedText,
  operation: Operation,
): Promise<StatementDescription> {
  const part = engineText(prepared);
  if (part === null) return { columns: null, parameters: [] };
  prepared.description ??= await described(state, prepared, part, operation);
  return prepared.description;
}

async function described(
  state: SessionState,
  prepared: PreparedText,
  { text, start }: { readonly text: string; readonly start: number },
  operation: Operation,
): Promise<StatementDescription> {
  const request = { ...requestOf(state, operation), text };
  try {
    const lists = listParameters(text, prepared.types);
    if (lists !== null) return await describedLists(state, prepared, request, lists);
    const found = await state.statements.describe(request, prepared.types);
    if (found.columns?.length !== 0) return found;
    // Its columns depend on parameters that nobody has stated: those are texts.
    const types = Array.from(
      { length: prepared.parameterCount },
      (_, index) => prepared.types[index] || found.parameters[index] || textOid,
    );
    const { columns } = await state.statements.describe(request, types);
    return { columns, parameters: types };
  } catch (thrown) {
    // With stated types another text is described.
    throw moveError(thrown, prepared.types.some((oid) => oid !== 0) ? null : prepared.start + start);
  }
}

/** With parameters that are lists: the type of their values is found out first. */
async function describedLists(
  { statements }: SessionState,
  { types, parameterCount }: PreparedText,
  request: Parameters<Statements['describe']>[0],
  { numbers, textOfValues }: ListParameters,
): Promise<StatementDescription> {
  const values = await statements.describe({ ...request, text: textOfValues }, types);
  const found = Array.from({ length: parameterCount }, (_, index) => {
    const oid = types[index] || values.parameters[index] || textOid;
    return numbers.includes(index + 1) ? arrayOidOf(values.parameters[index]) : oid;
  });
  const { columns } = await statements.describe(request, found);
  return { columns, parameters: found };
}

async function describeStatement(
  state: SessionState,
  prepared: PreparedText,
  operation: Operation,
): Promise<void> {
  checkCommand(state, prepared.command, operation.caller);
  const types = prepared.parameterCount === 0 ? [] : await parameterTypesOf(state, prepared, operation);
  const columns = await columnsOf(state, prepared, operation);
  state.outbox.add(parameterDescription(types));
  prepared.announced = columns;
  state.outbox.add(columns === null ? noData : rowDescription(columns, []));
}

async function columnsOf(state: SessionState, prepared: PreparedText, operation: Operation) {
  const { command } = prepared;
  if (command.kind === 'query') return (await describe(state, prepared, operation)).columns;
  if (command.kind === 'execute')
    return (await describe(state, state.prepared.get(command.name), operation)).columns;
  return ownColumns(state, prepared);
}

/** Its values are known: it begins, so that its columns are those of its rows. */
async function describePortal(state: SessionState, name: string, operation: Operation): Promise<void> {
  const { outbox, portals } = state;
  const portal = portals.get(name);
  const { kind } = portal.prepared.command;
  if (kind === 'query' || kind === 'execute' || kind === 'fetch') await startRows(state, portal, operation);
  const columns = portal.rows?.columns ?? ownColumns(state, portal.prepared);
  if (columns === null || kind === 'move') {
    outbox.add(noData);
    return;
  }
  if (portal.state === 'open') portals.wait(portal);
  outbox.add(rowDescription(columns, formatsFor(portal.resultFormats, columns.length, 'columns')));
}
