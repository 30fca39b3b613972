import type { Idempotency } from '../frames/ports/catalog/versions.ts';
import { idempotencyConflict } from './refusals.ts';
import type { WireCommitted } from './wire.ts';

/**
 * What is kept with an idempotency key. The body is here and not in the fingerprint, so that nodes of the release before, which know of none, still
 * recognise the key.
 */
export interface KeyAnswer extends Pick<WireCommitted, 'record' | 'created' | 'added'> {
  readonly body?: string;
}

/** The answer of a key that was used; idempotency_conflict if that was for another request. */
export function answerToSame(
  { fingerprint, answer }: { readonly fingerprint: string; readonly answer: string },
  given: Idempotency,
): KeyAnswer {
  if (fingerprint !== given.fingerprint) throw idempotencyConflict(given.key);
  const kept = JSON.parse(answer) as KeyAnswer;
  const areBothKnown = kept.body !== undefined && given.body !== undefined;
  if (areBothKnown && kept.body !== given.body) throw idempotencyConflict(given.key, 'with another body');
  return kept;
}

export function keyAnswer(answer: Omit<KeyAnswer, 'body'>, { body }: Idempotency): string {
  return JSON.stringify(body === undefined ? answer : { ...answer, body });
}
