import type { Idempotency } from '../../ports/catalog/versions.ts';
import { idempotencyKeptMs } from '../memory-times.ts';
import { answerNotCached, idempotencyConflict } from '../refusals.ts';
import { rowOfStored, type StoredRecord, storedRecord } from '../stored-records.ts';
import type { WireCommitted } from '../wire.ts';

/** A key that was used. */
export interface KeyRow {
  readonly fingerprint: string;
  readonly used_at: number;
  readonly answer: string;
  readonly key_schema: number;
  /** As JSON; empty if they were too many to be kept for a key alone. */
  readonly columns: string;
}

/**
 * What is kept with an idempotency key. The body is here and not in the fingerprint, so that nodes of the release before, which know of none, still
 * recognise the key.
 */
interface KeyAnswer extends Pick<WireCommitted, 'created' | 'added'> {
  readonly record: StoredRecord;
  readonly body?: string;
}

/** The first answer again; null if the key has expired. idempotency_conflict if it was used for another request. */
export function replayOf(row: KeyRow, given: Idempotency, now: number): WireCommitted | null {
  if (row.used_at <= now - idempotencyKeptMs) return null;
  if (row.fingerprint !== given.fingerprint) throw idempotencyConflict(given.key);
  const { body, record: kept, ...answer } = JSON.parse(row.answer) as KeyAnswer;
  const areBothKnown = body !== undefined && given.body !== undefined;
  if (areBothKnown && body !== given.body) throw idempotencyConflict(given.key, 'with another body');
  const record = rowOfStored(kept);
  if (row.columns === '') throw answerNotCached(record.name, record.version);
  return { record, ...answer, replayedColumns: row.columns, expired: null };
}

export function keyAnswer({ record, created, added }: WireCommitted, { body }: Idempotency): string {
  return JSON.stringify({ record: storedRecord(record), created, added, body });
}
