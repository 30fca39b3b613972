import { emptyQuery, rowDescription } from '../protocol/server-messages.ts';
import { splitStatements } from '../text/split-statements.ts';
import { prepareText } from './parse-text.ts';
import type { Portal } from './portals.ts';
import type { PreparedText } from './prepared-texts.ts';
import { runPortal, startRows } from './run-portal.ts';
import { checkCommand, checkText, type Operation, type SessionState } from './session-state.ts';

/** A message of one statement or several. The first one that fails ends it. */
export async function runSimpleQuery(
  state: SessionState,
  whole: string,
  operation: Operation,
): Promise<void> {
  state.prepared.remove('');
  await state.portals.close('');
  checkText(state, whole);
  const parts = splitStatements(whole);
  if (parts.length === 0) state.outbox.add(emptyQuery);
  for (const part of parts) {
    const prepared = prepareText('', whole, part, []);
    checkCommand(state, prepared.command, operation.caller);
    await runStatement(state, prepared, operation);
    // A message can have hundreds of thousands of commands: others have their turn between them, and answers do not gather.
    if (state.outbox.isFull) await state.outbox.flush();
    await state.turns.next();
    operation.signal.throwIfAborted();
  }
}

async function runStatement(
  state: SessionState,
  prepared: PreparedText,
  operation: Operation,
): Promise<void> {
  const portal = portalOf(prepared);
  try {
    await startRows(state, portal, operation);
    if (portal.rows !== null && prepared.command.kind !== 'move')
      state.outbox.add(rowDescription(portal.rows.columns, []));
    await runPortal(state, portal, 0, operation);
  } finally {
    await portal.rows?.close();
  }
}

function portalOf(prepared: PreparedText): Portal {
  return {
    name: '',
    prepared,
    parameters: null,
    boundBytes: 0,
    resultFormats: [],
    isHeld: false,
    isNew: false,
    rows: null,
    tag: '',
    state: 'bound',
  };
}
