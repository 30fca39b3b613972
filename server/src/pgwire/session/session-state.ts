import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { Audit } from '../../frames/access/audit.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { PostgresSession } from '../../ports/engine.ts';
import { warning } from '../protocol/error-report.ts';
import type { Outbox } from '../protocol/outbox.ts';
import { parameterStatus } from '../protocol/server-messages.ts';
import type { Turns } from '../protocol/turns.ts';
import type { Command, Isolation } from '../text/command.ts';
import type { Portals } from './portals.ts';
import type { PreparedTexts } from './prepared-texts.ts';
import type { ReportedSetting, SessionSettings } from './session-settings.ts';
import type { Statements } from './statements.ts';
import { type Transaction, transactionFailed } from './transaction.ts';

/** Stops statements of other sessions of the same tenant. */
export interface Signals {
  /** nobody: there is no such session. */
  signal(caller: Caller, backend: number, ends: boolean): Promise<'done' | 'only cancelled' | 'nobody'>;
}

/** What a session knows between two messages. */
export interface SessionState {
  readonly settings: SessionSettings;
  readonly transaction: Transaction;
  readonly prepared: PreparedTexts;
  readonly portals: Portals;
  readonly outbox: Outbox;
  readonly statements: Statements;
  readonly signals: Signals;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly turns: Turns;
  readonly database: string;
  readonly user: string;
  readonly backendId: number;
  /** The longest text of a message: it is read before the engine sees it. */
  readonly textBytesMax: number;
  /** The id of its statement that runs. */
  readonly statementId: string;
}

/** One step for the client: whose it is, and what ends it. */
export interface Operation {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export function tell(outbox: Outbox, changed: readonly ReportedSetting[]): void {
  for (const { name, value } of changed) outbox.add(parameterStatus(name, value));
}

export function warn({ outbox }: SessionState, sqlState: string, detail: string): void {
  outbox.add(warning(sqlState, detail));
}

export function defaultIsolation({ settings }: SessionState): Isolation {
  return settings.isolation('default_transaction_isolation');
}

/** Of a statement for the engine. Those of a transaction read the versions that it has read before. */
export function requestOf(state: SessionState, { caller, signal }: Operation) {
  const { transaction, settings, database, user, backendId, statementId } = state;
  const { pins } = transaction;
  const session: PostgresSession = { database, user, backendId, settings: settings.named };
  return {
    caller: pins === null ? caller : { ...caller, pins },
    session,
    signal,
    id: statementId,
    timeZone: settings.get('timezone'),
  };
}

/** Before a text is read word by word. */
export function checkText({ textBytesMax }: SessionState, text: string): void {
  if (text.length <= textBytesMax) return;
  throw new FrameholdError('body_too_large', `The text is longer than ${textBytesMax} bytes.`, {
    hint: 'Put long lists of values as a frame and join it. The limit is sql.text_bytes_max.',
  });
}

const endings: ReadonlySet<Command['kind']> = new Set(['commit', 'rollback', 'rollback-to', 'empty']);

/** Before anything is done for a statement: changes are refused, and everything in a transaction that has failed. */
export function checkCommand({ transaction, audit }: SessionState, command: Command, caller: Caller): void {
  if (transaction.status === 'E' && !endings.has(command.kind)) throw transactionFailed();
  if (command.kind === 'unsupported')
    throw new FrameholdError('unimplemented', `${command.tag} is not possible here.`, { hint: command.hint });
  if (command.kind !== 'change') return;
  const error = new FrameholdError(
    'sql_refused',
    `${command.tag} would change something, and over PostgreSQL's protocol frames are only read.`,
    {
      sqlState: '25006',
      hint: 'Change frames over HTTP (POST /v1/sql, PUT /v1/frames/NAME) or with Arrow Flight SQL.',
    },
  );
  audit.refused(caller, command.action, null, error);
  throw error;
}
