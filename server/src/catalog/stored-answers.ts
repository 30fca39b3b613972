import { rowOfStored, type StoredRecord, storedRecord } from './stored-records.ts';
import type { WireCommitted } from './wire.ts';

interface StoredAnswer extends Pick<WireCommitted, 'created' | 'expired'> {
  readonly record: StoredRecord;
}

/** What is kept of a commit to answer it again. null for a replay of an idempotency key, which has changed nothing. */
export function storedCommit({ record, created, replayedColumns, expired }: WireCommitted): string | null {
  if (replayedColumns !== null) return null;
  return JSON.stringify({ record: storedRecord(record), created, expired } satisfies StoredAnswer);
}

export function commitAgain(kept: string): WireCommitted {
  const { record, ...answer } = JSON.parse(kept) as StoredAnswer;
  return { record: rowOfStored(record), ...answer, replayedColumns: null, isRepeated: true };
}
