import type { Caller, Visit } from '../../model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../model/errors.ts';
import { describeChanges, type LimitChanges } from '../../model/limits/tenant-limit-values.ts';
import { handleTextOf } from '../../model/manifest.ts';
import { noTenant } from '../../model/tenant.ts';
import type { StatementShape } from '../../ports/engine.ts';
import type { Observation, Observe } from '../../ports/observation.ts';
import type { PutOutcome } from '../frames.ts';
import type { Action } from './access.ts';

type AuditLine = Extract<Observation, { readonly event: 'audit' }>;

/** Why something was refused or has failed. */
export type Reason = Pick<FrameholdError, 'kind' | 'message'>;

/** What else a line names: the tenant that an operator acted on, the statement, what was changed. */
interface More {
  readonly tenant?: string;
  readonly statement?: string;
  readonly detail?: string;
}

/** Runs one step of an attempt. */
export type Step = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Refusals that come after the access check: limits of the tenant, and credentials that end while the request waits. */
const laterRefusals: ReadonlySet<ErrorKind> = new Set(['quota_exceeded', 'rate_limited', 'unauthenticated']);
/** Messages contain names and statements of any length. A longer text is cut, so that a line stays short. */
const textMax = 400;

/** The audit log: every refusal, and every change that was made. All of its lines are built in this file. */
export class Audit {
  readonly #observe: Observe;

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** After a change was made. */
  done(caller: Caller, action: Action, frame: string | null, more: More = {}): void {
    this.#write(caller, action, frame, 'done', null, more);
  }

  /** After a put or a restore. A replayed answer changed nothing and has no line. */
  versionMade(caller: Caller, action: Action, { record, replayed, expired }: PutOutcome): void {
    if (replayed) return;
    if (expired !== null) this.expired(record.tenant, expired);
    this.done(caller, action, handleTextOf(record));
  }

  /** `enter`: the caller is known, but was refused. */
  refused(caller: Caller, action: Action | 'enter', frame: string | null, reason: Reason): void {
    this.#write(caller, action, frame, 'refused', reason);
  }

  /** A request that was refused before its caller was known. */
  unidentified(visit: Visit, reason: Reason): void {
    this.#observe(entryRefused(visit, reason));
  }

  /** For statements that are not allowed. `shape` is null if the statement was refused before it was parsed: it counts as a query then. */
  statementRefused(caller: Caller, shape: StatementShape | null, error: unknown): void {
    if (!(error instanceof FrameholdError) || error.kind !== 'sql_refused') return;
    this.refused(caller, `sql.${shape?.kind ?? 'query'}`, shape?.target?.name ?? null, error);
  }

  /** After an attempt that may or may not have changed something. */
  failed(caller: Caller, action: Action, reason: Reason): void {
    this.#write(caller, action, null, 'failed', reason);
  }

  /** For what is allowed or refused at once, as a place within a limit. */
  attemptNow<Value>(
    caller: Caller,
    action: Action | 'enter',
    frame: string | null,
    work: () => Value,
  ): Value {
    try {
      return work();
    } catch (error) {
      if (error instanceof FrameholdError) this.refused(caller, action, frame, error);
      throw error;
    }
  }

  /** For work in one step that may be refused after the access check. */
  attempt<Value>(
    caller: Caller,
    action: Action,
    frame: string | null,
    work: () => Promise<Value>,
  ): Promise<Value> {
    return this.steps(caller, action, frame)(work);
  }

  /** For work in several steps, each of which may be refused: only the first refusal is logged. */
  steps(caller: Caller, action: Action, frame: string | null): Step {
    let isLogged = false;
    return async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isLogged && error instanceof FrameholdError && laterRefusals.has(error.kind)) {
          isLogged = true;
          this.refused(caller, action, frame, error);
        }
        throw error;
      }
    };
  }

  expired(tenant: string, name: string): void {
    this.#observe(expiredFrame(tenant, name));
  }

  #write(
    { tenant, name, remote, requestId, statement, engine }: Caller,
    action: AuditLine['action'],
    frame: string | null,
    outcome: AuditLine['outcome'],
    reason: Reason | null,
    more: More = {},
  ): void {
    this.#observe({
      event: 'audit',
      action,
      outcome,
      reason: reason?.kind ?? null,
      detail: shortened(reason?.message ?? more.detail ?? null),
      tenant: more.tenant ?? (tenant === noTenant ? null : tenant),
      caller: name,
      frame: shortened(frame),
      statement: more.statement ?? statement ?? null,
      ...(engine === undefined ? {} : { engine }),
      remote,
      requestId,
    });
  }
}

const nobody = { tenant: null, caller: null, frame: null, statement: null, remote: null, requestId: null };

/** As `Audit.unidentified`; `caller` is the name in the log of a caller that has not been identified yet. */
export function entryRefused(
  { remote, requestId }: Visit,
  { kind, message }: Reason,
  caller: string | null = null,
): AuditLine {
  const line = {
    event: 'audit',
    action: 'enter',
    outcome: 'refused',
    reason: kind,
    detail: message,
  } as const;
  return { ...line, ...nobody, caller, remote, requestId };
}

/** A name that has expired. No caller did it: the line of the put or of the expire says who set the time. */
export function expiredFrame(tenant: string, name: string): AuditLine {
  const line = {
    event: 'audit',
    action: 'frame.expired',
    outcome: 'done',
    reason: null,
    detail: null,
  } as const;
  return { ...line, ...nobody, tenant, frame: name };
}

/** Limits that `framehold tenant set` has changed while the server runs. */
export function limitsChanged(tenant: string, changes: LimitChanges): AuditLine {
  const detail = describeChanges(changes);
  const line = { event: 'audit', action: 'tenant.set', outcome: 'done', reason: null, detail } as const;
  return { ...line, ...nobody, tenant, caller: 'command-line' };
}

/** The token that the first start of a server makes. Its secret is in no line. */
export function tokenCreated({ id, tenant }: { readonly id: string; readonly tenant: string }): AuditLine {
  const line = { event: 'audit', action: 'token.create', outcome: 'done', reason: null, detail: id } as const;
  return { ...line, ...nobody, tenant, caller: 'first-start' };
}

function shortened(text: string | null): string | null {
  return text === null || text.length <= textMax ? text : `${text.slice(0, textMax)}…`;
}
