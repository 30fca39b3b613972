import { type Caller, refuseEnded } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { formatHandle, type Handle } from '../../model/handle.ts';
import { type Action, type Decision, decide, type Target } from './access.ts';
import type { Audit } from './audit.ts';

/** Refuses what a caller may not do. Each refusal is in the audit log. */
export class AccessGuard {
  readonly #audit: Audit;

  constructor(audit: Audit) {
    this.#audit = audit;
  }

  /** Throws access_denied; frame_not_found if the caller may not know of the frame; unauthenticated as `checkCurrent`. */
  check(caller: Caller, action: Action, target: Target | null = null): void {
    const decision = decide(caller, action, target);
    if (!decision.allowed) {
      const error = refusal(caller, action, target, decision);
      this.#audit.refused(caller, action, target === null ? null : textOf(target, caller), error);
      throw error;
    }
    if (target !== null) caller.used?.frame(nameOf(target, caller));
    if (!caller.isCurrent())
      this.checkCurrent(caller, action, target === null ? null : textOf(target, caller));
  }

  /** Throws unauthenticated if the credential has ended since the request arrived. For use after a wait. */
  checkCurrent(caller: Caller, action: Action, frame: string | null): void {
    this.#audit.attemptNow(caller, action, frame, () => refuseEnded(caller));
  }
}

/** A frame of the caller's own tenant. */
export function ownTarget({ tenant }: Caller, { name, version, after }: Handle): Target {
  // Rows since a version may be read from another version than the one they end with, which a link does not open: that one may have been dropped.
  return { tenant, name, version: after === undefined ? version : null, isShared: false };
}

/** A name of the caller's own tenant; null if the server is to choose one. */
export function ownName({ tenant }: Caller, name: string | null): Target | null {
  return name === null ? null : { tenant, name, version: null, isShared: false };
}

/** A frame of another tenant that was found is shared with the caller. */
export function foundTarget(
  caller: Caller,
  { tenant, name, version }: { readonly tenant: string; readonly name: string; readonly version: number },
): Target {
  return { tenant, name, version, isShared: tenant !== caller.tenant };
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
      hint: 'Use the link with the handle it was created for.',
    });
  if (decision.missing === null)
    return new FrameholdError('access_denied', `The frame ${frame} is shared for reading only.`, {
      hint: 'Copy it to your own frame: CREATE TABLE … AS SELECT.',
    });
  return new FrameholdError(
    'access_denied',
    `This needs the scope ${decision.missing} (${action}), and the credential does not have it.`,
    { hint: `Ask the operator for one: framehold token create --scope ${decision.missing}.` },
  );
}
