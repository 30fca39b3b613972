import { FrameholdError } from '../frames/errors.ts';
import type { RawQuery } from './raw-query.ts';

/** A whole number of rows or entries, at most `max`; undefined where the key is absent. */
export function wholeNumber(query: RawQuery, key: string, max: number): number | undefined {
  const text = query.value(key);
  if (text === undefined) return undefined;
  // Fifteen digits stay exact in a double.
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) {
    throw new FrameholdError(
      'bad_request',
      `${key}=${JSON.stringify(text.slice(0, 40))} is not a whole number from 0 to ${max}.`,
      {
        hint: `Give ${key} in digits, at most ${max}.`,
      },
    );
  }
  return Number(text);
}

export function flag(query: RawQuery, key: string): boolean {
  const text = query.value(key);
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw new FrameholdError(
    'bad_request',
    `${key}=${JSON.stringify(text.slice(0, 40))} is neither true nor false.`,
    { hint: `Give ${key}=true or leave it out.` },
  );
}
