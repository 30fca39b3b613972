import { FrameholdError } from '../../model/errors.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import type { Command, TransactionModes } from '../text/command.ts';
import { moveError } from './moved-error.ts';
import { prepareText } from './parse-text.ts';
import type { Portal } from './portals.ts';
import type { PreparedText } from './prepared-texts.ts';
import {
  defaultIsolation,
  type Operation,
  requestOf,
  type SessionState,
  tell,
  warn,
} from './session-state.ts';

/** A command of the session that gives no rows. Answers its tag. */
export async function runSessionCommand(
  state: SessionState,
  prepared: PreparedText,
  parameters: StatementParameters | null,
  operation: Operation,
): Promise<string> {
  const { transaction, settings, portals, outbox } = state;
  const { command } = prepared;
  switch (command.kind) {
    case 'begin':
      return begin(state, command.tag, command.modes);
    case 'commit':
    case 'rollback':
      return await end(state, command);
    case 'savepoint':
      transaction.savepoint(command.name);
      return 'SAVEPOINT';
    case 'release':
      transaction.release(command.name);
      return 'RELEASE';
    case 'rollback-to':
      transaction.rollbackTo(command.name);
      return 'ROLLBACK';
    case 'set-transaction':
      return setTransaction(state, command.modes, command.isSession);
    case 'set':
      return set(state, command);
    case 'reset':
      tell(outbox, command.name === null ? settings.reset() : settings.set(command.name, null, false));
      return 'RESET';
    case 'discard':
      return await discard(state, command.what);
    case 'deallocate':
      if (command.name === null) state.prepared.clear();
      else {
        state.prepared.get(command.name);
        state.prepared.remove(command.name);
      }
      return command.name === null ? 'DEALLOCATE ALL' : 'DEALLOCATE';
    case 'prepare':
      state.prepared.add(
        prepareText(
          command.name,
          prepared.whole,
          { text: command.inner.text, start: prepared.start + command.inner.start },
          [],
        ),
      );
      return 'PREPARE';
    case 'declare':
      return await declare(state, { prepared, command, parameters }, operation);
    case 'close':
      if (command.name === null) await portals.closeAll();
      else await portals.close(portals.get(command.name).name);
      return command.name === null ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR';
    case 'listen':
      return command.tag;
    default:
      throw new Error(`${command.kind} is no command of the session`);
  }
}

function begin(state: SessionState, tag: string, modes: TransactionModes): string {
  const { transaction, settings } = state;
  if (transaction.isOpen) {
    warn(state, '25001', 'There is a transaction in progress already.');
    return tag;
  }
  settings.begin();
  transaction.begin(modes, defaultIsolation(state));
  settings.show('transaction_isolation', transaction.isolation);
  warnOfWriting(state, modes);
  return tag;
}

async function end(
  state: SessionState,
  { kind, chain }: Extract<Command, { kind: 'commit' | 'rollback' }>,
): Promise<string> {
  const { transaction, settings, portals, outbox } = state;
  const isCommitted = kind === 'commit' && transaction.status !== 'E';
  const tag = isCommitted ? 'COMMIT' : 'ROLLBACK';
  const { isolation, isOpen } = transaction;
  if (!isOpen) {
    if (chain)
      throw new FrameholdError('bad_request', `${tag} AND CHAIN is possible in a transaction block only.`, {
        sqlState: '25P01',
        hint: 'Send BEGIN.',
      });
    warn(state, '25P01', 'There is no transaction in progress.');
    return tag;
  }
  transaction.end();
  await portals.endTransaction(isCommitted);
  tell(outbox, settings.end(isCommitted));
  settings.show('transaction_isolation', defaultIsolation(state));
  if (chain) begin(state, 'BEGIN', { isolation });
  return tag;
}

function setTransaction(state: SessionState, modes: TransactionModes, isSession: boolean): string {
  const { transaction, settings, outbox } = state;
  warnOfWriting(state, modes);
  if (isSession) {
    if (modes.isolation !== undefined)
      tell(outbox, settings.set('default_transaction_isolation', modes.isolation, false));
    return 'SET';
  }
  if (!transaction.isOpen) warn(state, '25P01', 'SET TRANSACTION is possible in a transaction block only.');
  else if (modes.isolation !== undefined) {
    transaction.use(modes.isolation);
    settings.show('transaction_isolation', modes.isolation);
  }
  return 'SET';
}

function set(state: SessionState, { name, value, isLocal }: Extract<Command, { kind: 'set' }>): string {
  const { settings, transaction, outbox } = state;
  if (isLocal && !transaction.isOpen) {
    warn(state, '25P01', 'SET LOCAL is possible in a transaction block only.');
    return 'SET';
  }
  const changed = settings.set(name, value, isLocal);
  if (name === 'transaction_isolation' && transaction.isOpen) transaction.use(settings.isolation(name));
  if (name.endsWith('_read_only') && settings.get(name) === 'off') warnOfWriting(state, { readOnly: false });
  tell(outbox, changed);
  return 'SET';
}

function warnOfWriting(state: SessionState, { readOnly }: TransactionModes): void {
  if (readOnly === false)
    warn(state, '25006', 'Transactions only read here: a statement that would change something is refused.');
}

async function discard(state: SessionState, what: 'ALL' | 'PLANS' | 'SEQUENCES' | 'TEMP'): Promise<string> {
  const { transaction, portals, prepared, settings, outbox } = state;
  if (what !== 'ALL') return `DISCARD ${what}`;
  if (transaction.isOpen)
    throw new FrameholdError('bad_request', 'DISCARD ALL is not possible in a transaction block.', {
      sqlState: '25001',
      hint: 'Send COMMIT or ROLLBACK first.',
    });
  await portals.closeAll();
  prepared.clear();
  tell(outbox, settings.reset());
  return 'DISCARD ALL';
}

interface Declaration {
  readonly prepared: PreparedText;
  readonly command: Extract<Command, { kind: 'declare' }>;
  readonly parameters: StatementParameters | null;
}

async function declare(
  state: SessionState,
  { prepared, command, parameters }: Declaration,
  operation: Operation,
): Promise<string> {
  const { transaction, portals, statements } = state;
  const { name, isHeld, inner } = command;
  if (!transaction.isOpen && !isHeld)
    throw new FrameholdError('bad_request', 'DECLARE CURSOR is possible in a transaction block only.', {
      sqlState: '25P01',
      hint: 'Send BEGIN first, or declare the cursor WITH HOLD.',
    });
  const portal: Portal = {
    name,
    prepared,
    parameters,
    boundBytes: 0,
    resultFormats: [],
    isHeld,
    isNew: transaction.isOpen,
    rows: null,
    tag: 'FETCH',
    state: 'open',
  };
  await portals.add(portal);
  try {
    portal.rows = await statements.rows({ ...requestOf(state, operation), text: inner.text, parameters });
  } catch (thrown) {
    await portals.close(name);
    throw moveError(thrown, prepared.start + inner.start);
  }
  portals.wait(portal);
  return 'DECLARE CURSOR';
}
