import { createHash } from 'node:crypto';
import type { PutTarget, RestoreTarget } from '../frames.ts';

/** What must be the same for a repeated idempotency key to be the same request, without its body. */
export function putFingerprint(target: PutTarget): string {
  const { name, mode, ttlMs = 'keep', ifVersion, ifMatch, format, csv = {} } = target;
  return fingerprintOf([name, mode, ttlMs, ifMatch?.text ?? ifVersion?.version ?? null, format, csv]);
}

export function restoreFingerprint(name: string, { version, ifVersion, ifMatch }: RestoreTarget): string {
  return fingerprintOf(['restore', name, version, ifMatch?.text ?? ifVersion?.version ?? null]);
}

export function fingerprintOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
