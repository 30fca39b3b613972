import { type Action, type Decision, decide, type Target } from './access.ts';
import { type Caller, refuseEnded } from './caller.ts';
import { type ErrorKind, FrameholdError } from './errors.ts';
import { expiredFrame } from './expired-frame.ts';
import { formatHandle } from './handle.ts';
import type { Observe } from './observation.ts';
import { noTenant } from './tenant.ts';

/** What a line tells of an error. */
export type Reason = Pick<FrameholdError, 'kind' | 'message'>;

/** What else a line names: the tenant that an operator acted on, the statement, what was changed. */
export interface Told {
  readonly tenant?: string;
  readonly statement?: string;
  readonly detail?: string;
}

/** Runs a step of what may be refused on its way. */
export type Step = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** What is refused on the way, below the access rules: limits of the tenant, and credentials that end during a wait. */
const refusedOnTheWay: ReadonlySet<ErrorKind> = new Set([
  'quota_exceeded',
  'rate_limited',
  'unauthenticated',
]);
/** Callers may write names and statements of any length into a message, and a line stays a line. */
const textMax = 400;

/** Asks whether a caller may, and leaves the trail: each refusal, and each change that was done. */
export class AccessGuard {
  readonly #observe: Observe;

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** Throws access_denied, frame_not_found for what the caller may not know of, or unauthenticated as `checkCurrent`. */
  check(caller: Caller, action: Action, target: Target | null = null): void {
    const decision = decide(caller, action, target);
    if (!decision.allowed) {
      const error = refusal(caller, action, target, decision);
      this.#tell(caller, action, target === null ? null : textOf(target, caller), 'refused', error);
      throw error;
    }
    if (target !== null) caller.used?.frame(nameOf(target, caller));
    if (!caller.isCurrent())
      this.checkCurrent(caller, action, target === null ? null : textOf(target, caller));
  }

  /** Throws unauthenticated if the credential has ended since the request arrived. For use after a wait. */
  checkCurrent(caller: Caller, action: Action, frame: string | null): void {
    this.attempt(caller, action, () => refuseEnded(caller), frame);
  }

  /** Whatever bound the attempt breaks is a refusal, and told as one. */
  attempt<Value>(caller: Caller, action: string, enter: () => Value, frame: string | null = null): Value {
    try {
      return enter();
    } catch (error) {
      if (error instanceof FrameholdError) this.#tell(caller, action, frame, 'refused', error);
      throw error;
    }
  }

  /** For work with several steps, each of which may be refused: the first refusal is logged, and no other. */
  steps(caller: Caller, action: Action, frame: string | null): Step {
    let isTold = false;
    return async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isTold && error instanceof FrameholdError && refusedOnTheWay.has(error.kind)) {
          isTold = true;
          this.refused(caller, action, frame, error);
        }
        throw error;
      }
    };
  }

  /** After somebody else has refused it. */
  refused(caller: Caller, action: Action, frame: string | null, reason: Reason): void {
    this.#tell(caller, action, frame, 'refused', reason);
  }

  /** After a change is done. */
  done(caller: Caller, action: Action, frame: string | null, told: Told = {}): void {
    this.#tell(caller, action, frame, 'done', null, told);
  }

  /** After a try of which nobody knows whether it changed something. */
  failed(caller: Caller, action: Action, reason: Reason): void {
    this.#tell(caller, action, null, 'failed', reason);
  }

  /** After an earlier life of a name has ended because its time had come. */
  expired(tenant: string, name: string): void {
    this.#observe(expiredFrame(tenant, name));
  }

  #tell(
    { tenant, name, remote, requestId, statement }: Caller,
    action: string,
    frame: string | null,
    outcome: 'done' | 'refused' | 'failed',
    reason: Reason | null,
    told: Told = {},
  ): void {
    this.#observe({
      event: 'audit',
      action,
      outcome,
      reason: reason?.kind ?? null,
      detail: shortened(reason?.message ?? told.detail ?? null),
      tenant: told.tenant ?? (tenant === noTenant ? null : tenant),
      caller: name,
      frame: shortened(frame),
      statement: told.statement ?? statement ?? null,
      remote,
      requestId,
    });
  }
}

function shortened(text: string | null): string | null {
  return text === null || text.length <= textMax ? text : `${text.slice(0, textMax)}…`;
}

/** As the caller would write it. */
export function textOf({ tenant, name, version }: Target, caller: Caller): string {
  const own = nameOf({ tenant, name }, caller);
  return version === null ? own : formatHandle(own, version);
}

function nameOf({ tenant, name }: Pick<Target, 'tenant' | 'name'>, caller: Caller): string {
  return tenant === caller.tenant ? name : `${tenant}:${name}`;
}

function refusal(
  caller: Caller,
  action: Action,
  target: Target | null,
  decision: Decision & { readonly allowed: false },
): FrameholdError {
  const frame = target === null ? null : JSON.stringify(textOf(target, caller));
  if (decision.kind === 'frame_not_found')
    return new FrameholdError('frame_not_found', `There is no frame ${frame}.`);
  if (caller.link !== null)
    return new FrameholdError('access_denied', 'The link opens one version of one frame, and nothing else.', {
      hint: 'Use it with the handle that it was made for.',
    });
  if (decision.missing === null)
    return new FrameholdError('access_denied', `The frame ${frame} is shared for reading only.`, {
      hint: 'Make a frame of your own out of it: CREATE TABLE … AS SELECT.',
    });
  return new FrameholdError(
    'access_denied',
    `This needs the scope ${decision.missing} (${action}), and the credential does not have it.`,
    { hint: `Ask the operator for one: framehold token create --scope ${decision.missing}.` },
  );
}
