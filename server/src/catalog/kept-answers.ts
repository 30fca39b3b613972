import type { WireCommitted } from './wire.ts';

/** What is kept of a commit to answer it again. null for a replay of an idempotency key, which has changed nothing. */
export function keptCommit({ record, created, replayedColumns, expired }: WireCommitted): string | null {
  return replayedColumns === null ? JSON.stringify({ record, created, expired }) : null;
}

export function commitAgain(kept: string): WireCommitted {
  const answer = JSON.parse(kept) as Pick<WireCommitted, 'record' | 'created' | 'expired'>;
  return { ...answer, replayedColumns: null, isRepeated: true };
}
