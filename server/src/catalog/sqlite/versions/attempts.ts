import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { attemptsKeptMs } from '../../memory-times.ts';
import { refuseOldAttempt } from '../../refusals.ts';

interface Attempt {
  readonly id: string;
  readonly now: number;
}

interface KeptAnswers<Answer> {
  /** null if nothing was changed: then a repetition finds the same again. */
  readonly keep: (answer: Answer) => string | null;
  readonly again: (kept: string) => Answer;
}

/**
 * Changes of the last day, by the id of their attempt, each with its answer. A caller that did not get the answer repeats the change: it
 * takes effect once.
 */
export class Attempts {
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT answer FROM attempts WHERE id = ?');
    this.#add = db.prepare('INSERT INTO attempts VALUES (?, ?, ?)');
    this.#forget = db.prepare(`
      DELETE FROM attempts WHERE id IN (SELECT id FROM attempts WHERE made_at <= ? LIMIT ?)`);
  }

  /** Makes the change and keeps its answer, or answers again from what was kept if the attempt has taken effect. */
  once<Answer>({ id, now }: Attempt, make: () => Answer, answers: KeptAnswers<Answer>): Answer {
    const row = this.#find.get(id);
    if (row !== undefined) return answers.again(String(row.answer));
    refuseOldAttempt(id, now);
    const answer = make();
    const kept = answers.keep(answer);
    if (kept !== null) this.#add.run(id, now, kept);
    return answer;
  }

  /** Forgets up to `limit` attempts that are too old to be repeated; returns how many. */
  forgetOld(now: number, limit: number): number {
    return Number(this.#forget.run(now - attemptsKeptMs, limit).changes);
  }
}
