import { asFrameholdError, FrameholdError } from '../../model/errors.ts';

/** The same error, whose place is counted in a longer text that has the statement after so many characters. null: the place is in no text of the client. */
export function moveError(thrown: unknown, by: number | null): FrameholdError {
  const error = asFrameholdError(thrown);
  const { place, hint, retryAfterSeconds, sqlState } = error;
  if (place === undefined || by === 0) return error;
  return new FrameholdError(error.kind, error.message, {
    ...(hint === undefined ? {} : { hint }),
    ...(by === null ? {} : { place: { ...place, position: place.position + by } }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(sqlState === undefined ? {} : { sqlState }),
    cause: error.cause,
  });
}
