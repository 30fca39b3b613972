import { FrameholdError } from '../model/errors.ts';

/** What is wrong with an upload, and what the sender can do. */
export function badBody(what: string, hint?: string): FrameholdError {
  return new FrameholdError('bad_body', what, hint === undefined ? {} : { hint });
}

/** A name or value inside an error text, short enough to read. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
