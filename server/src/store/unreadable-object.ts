import { FrameholdError } from '../model/errors.ts';

/** It has gone, is being removed, or was read again and again and is not what was put. Callers see it if nothing else holds the rows; the key is for the log. */
export function unreadableObject(key: string, cause: unknown): FrameholdError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FrameholdError('frame_damaged', 'Stored bytes of the frame cannot be read as they were put.', {
    cause: new Error(`${key}: ${reason}`, { cause }),
  });
}
