import { type ErrorKind, FrameholdError } from '../../model/errors.ts';
import type { PutOutcome } from '../frames.ts';

/** What a request may be refused with because the same one, sent before, was carried out in this moment. */
const causedByItself: ReadonlySet<ErrorKind> = new Set([
  'frame_exists',
  'version_mismatch',
  'write_conflict',
]);

/** The answer of an earlier request with the same idempotency key, or what the work gives. */
export type OrEarlier<Value> = { readonly earlier: PutOutcome } | { readonly value: Value };

/** Does the work, unless the same request has been answered: before it began, or while it was at work. */
export async function unlessAnswered<Value>(
  answer: () => Promise<PutOutcome | null>,
  work: () => Promise<Value>,
): Promise<OrEarlier<Value>> {
  const earlier = await answer();
  if (earlier !== null) return { earlier };
  try {
    return { value: await work() };
  } catch (error) {
    const isOwn = error instanceof FrameholdError && causedByItself.has(error.kind);
    const meanwhile = isOwn ? await answer() : null;
    if (meanwhile === null) throw error;
    return { earlier: meanwhile };
  }
}
