import type { ChangeConditions } from '../frames/frames.ts';
import { numberGuard } from '../frames/writing/put-conditions.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Call } from './call.ts';

/** Headers on which it depends whether a statement changes something, as over HTTP. Puts and actions have the same in their descriptor or body. */
const ifMatch = 'if-match';
const ifNoneMatch = 'if-none-match';
const idempotencyKey = 'idempotency-key';

/** The conditions of a statement; undefined if it has none. */
export function conditionsOf(call: Call): ChangeConditions | undefined {
  const match = call.header(ifMatch);
  const noneMatch = call.header(ifNoneMatch);
  const key = call.header(idempotencyKey);
  if (match === undefined && noneMatch === undefined && key === undefined) return undefined;
  if (noneMatch !== undefined && noneMatch !== '*')
    throw new FrameholdError('bad_request', `${ifNoneMatch} can only be *.`, {
      hint: `Use ${ifNoneMatch}: * to create, ${ifMatch} to change a version you know.`,
    });
  return {
    ...(match === undefined ? {} : { ifMatch: numberGuard(versionIn(match)) }),
    ...(noneMatch === undefined ? {} : { createOnly: true }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
}

/** bad_request for conditions in headers of a call that has them elsewhere, or has none: they would be ignored. */
export function refuseConditions(call: Call, hint: string): void {
  const given = [ifMatch, ifNoneMatch, idempotencyKey].find((name) => call.header(name) !== undefined);
  if (given === undefined) return;
  throw new FrameholdError('bad_request', `This call does not take the header ${given}.`, { hint });
}

/** Flight has no entity tags: its clients know versions by their numbers. */
function versionIn(text: string): number {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const digits = isQuoted ? text.slice(1, -1) : text;
  const version = Number(digits);
  if (Number.isSafeInteger(version) && version > 0 && String(version) === digits) return version;
  throw new FrameholdError('bad_request', `${ifMatch} is not the number of a version.`, {
    hint: `For example ${ifMatch}: 3, the "version" of a manifest.`,
  });
}
