import type { Sql, Transaction } from '../../../postgres/database.ts';
import { attemptsKeptMs } from '../../memory-times.ts';
import { refuseOldAttempt } from '../../refusals.ts';

export interface Attempt {
  readonly id: string;
  readonly now: number;
}

interface KeptAnswers<Answer> {
  /** null if nothing was changed: then a repetition finds the same again. */
  readonly keep: (answer: Answer) => string | null;
  readonly again: (kept: string) => Answer | Promise<Answer>;
}

/**
 * Changes of the last day, by the id of their attempt, each with its answer. A caller that did not get the answer repeats the change: it
 * takes effect once.
 *
 * The first try may not have ended yet. It holds the lock of the name, or is about to add the name. So the name is locked before an attempt
 * is looked for; and a change that cannot add a name, because it is there by now, begins again.
 */
export class Attempts {
  readonly #added = new WeakMap<Sql, string>();

  /** Makes the change and keeps its answer, or answers again from what was kept if the attempt has taken effect. Lock the name before. */
  async once<Answer>(
    sql: Transaction,
    attempt: Attempt,
    make: () => Promise<Answer>,
    answers: KeptAnswers<Answer>,
  ): Promise<Answer> {
    const kept = await this.find(sql, attempt.id);
    if (kept !== null) return answers.again(kept);
    refuseOldAttempt(attempt.id, attempt.now);
    const answer = await make();
    const text = answers.keep(answer);
    if (text !== null) this.add(sql, attempt, text);
    return answer;
  }

  async find(sql: Sql, id: string): Promise<string | null> {
    const row = await sql.first<{ answer: string }>('SELECT answer FROM attempts WHERE id = $1', [id]);
    return row?.answer ?? null;
  }

  add(sql: Transaction, { id, now }: Attempt, answer: string): void {
    sql.send('INSERT INTO attempts VALUES ($1, $2, $3)', [id, now, answer]);
    this.#added.set(sql, id);
  }

  /** The attempt that takes effect when this transaction is committed, if it is one. */
  addedIn(sql: Sql): string | undefined {
    return this.#added.get(sql);
  }

  /** Forgets up to `limit` attempts that are too old to be repeated; returns how many. */
  forgetOld(sql: Transaction, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM attempts WHERE id IN
         (SELECT id FROM attempts WHERE made_at <= $1 ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [now - attemptsKeptMs, limit],
    );
  }
}
