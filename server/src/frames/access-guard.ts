import { type Action, type Decision, decide, type Target } from './access.ts';
import type { Caller } from './caller.ts';
import { FrameholdError } from './errors.ts';
import { formatHandle } from './handle.ts';
import type { Observe } from './observation.ts';

/** Asks whether a caller may, and leaves the trail: each refusal, and each change that was done. */
export class AccessGuard {
  readonly #observe: Observe;

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** Throws access_denied, or frame_not_found for what the caller may not know of. */
  check(caller: Caller, action: Action, target: Target | null = null): void {
    const decision = decide(caller, action, target);
    if (decision.allowed) return;
    const error = refusal(caller, action, target, decision);
    this.#tell(caller, action, target === null ? null : textOf(target, caller), 'refused', error);
    throw error;
  }

  /** Throws unauthenticated where the credential that opened the door has ended since. */
  checkCurrent(caller: Caller, action: Action): void {
    this.attempt(caller, action, () => {
      if (caller.isCurrent()) return;
      throw new FrameholdError(
        'unauthenticated',
        'The credential ended before everything had arrived: nothing was changed.',
        {
          hint: 'Send it again with one that is in force.',
        },
      );
    });
  }

  /** Whatever bound the attempt breaks is a refusal, and told as one. */
  attempt<Value>(caller: Caller, action: string, enter: () => Value): Value {
    try {
      return enter();
    } catch (error) {
      if (error instanceof FrameholdError) this.#tell(caller, action, null, 'refused', error);
      throw error;
    }
  }

  /** After a change is done. */
  done(caller: Caller, action: Action, frame: string | null): void {
    this.#tell(caller, action, frame, 'done', null);
  }

  #tell(
    { tenant, name, remote, requestId }: Caller,
    action: string,
    frame: string | null,
    outcome: 'done' | 'refused',
    error: FrameholdError | null,
  ): void {
    this.#observe({
      event: 'audit',
      action,
      outcome,
      reason: error?.kind ?? null,
      detail: error?.message ?? null,
      tenant,
      caller: name,
      frame,
      remote,
      requestId,
    });
  }
}

/** As the caller would write it. */
function textOf({ tenant, name, version }: Target, caller: Caller): string {
  const own = tenant === caller.tenant ? name : `${tenant}:${name}`;
  return version === null ? own : formatHandle(own, version);
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
