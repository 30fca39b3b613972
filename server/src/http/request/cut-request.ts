import type { ServerResponse } from 'node:http';
import type { FrameholdError } from '../../model/errors.ts';

const cut = Symbol('the request is cut');

/** The server waits no longer for this request: the work for it ends with this reason, which is the answer if none has begun. */
export function cutRequest(raw: ServerResponse, reason: FrameholdError): void {
  raw.emit(cut, reason);
}

/** Called once at most. */
export function onCut(raw: ServerResponse, listener: (reason: FrameholdError) => void): void {
  raw.once(cut, listener);
}
