import { FrameholdError } from '../model/errors.ts';
import { hashFile } from '../workers/hash-file.ts';

/** Called before a form is made from another: damaged bytes must not be rewritten as if they were good. */
export async function verifyHash(path: string, expected: string, signal: AbortSignal): Promise<void> {
  const { hash } = await hashFile(path, { signal });
  if (hash !== expected) throw changedBytes();
}

export function changedBytes(): FrameholdError {
  return new FrameholdError('frame_damaged', 'A stored object has other bytes than when it was put.');
}
