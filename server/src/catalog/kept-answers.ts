import { type KeptRecord, keptRecord, rowOfKept } from './kept-records.ts';
import type { WireCommitted } from './wire.ts';

interface KeptAnswer extends Pick<WireCommitted, 'created' | 'expired'> {
  readonly record: KeptRecord;
}

/** What is kept of a commit to answer it again. null for a replay of an idempotency key, which has changed nothing. */
export function keptCommit({ record, created, replayedColumns, expired }: WireCommitted): string | null {
  if (replayedColumns !== null) return null;
  return JSON.stringify({ record: keptRecord(record), created, expired } satisfies KeptAnswer);
}

export function commitAgain(kept: string): WireCommitted {
  const { record, ...answer } = JSON.parse(kept) as KeptAnswer;
  return { record: rowOfKept(record), ...answer, replayedColumns: null, isRepeated: true };
}
