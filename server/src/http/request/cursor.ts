import { FrameholdError } from '../../model/errors.ts';

/** Cursors are opaque to callers: base64url of a small JSON value. */
export function encodeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The value of a cursor that `accepts` recognises; bad_cursor for anything else. */
export function decodeCursor<Value>(text: string, accepts: (value: unknown) => value is Value): Value {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (accepts(value)) return value;
  } catch {
    // Falls through to the one error below.
  }
  throw new FrameholdError('bad_cursor', 'The cursor does not come from this server.', {
    hint: 'Start again without a cursor.',
  });
}

/** Where a page of frames that others share begins. */
export interface SharedPlace {
  readonly tenant: string;
  readonly name: string;
}

export function isSharedPlace(value: unknown): value is SharedPlace {
  const { tenant, name } = (value ?? {}) as Partial<SharedPlace>;
  return typeof tenant === 'string' && typeof name === 'string';
}
