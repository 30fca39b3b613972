import type { Sql, Transaction } from '../../../postgres/database.ts';
import { type LogPiece, type TrimmedLog, trimOf } from '../../rules/logs.ts';
import type { Compactions } from '../maintenance/compactions.ts';
import type { Parts } from '../maintenance/parts.ts';

interface LogState {
  readonly own_end: number | null;
  readonly children: readonly (readonly [log: number, count: number])[];
  readonly base_log: number | null;
  readonly base_count: number;
}

/** Logs that continue others, and which parts of a log are still needed. Its changes need the lock of the name. */
export class Logs {
  readonly #parts: Parts;
  readonly #compactions: Compactions;

  constructor(parts: Parts, compactions: Compactions) {
    this.#parts = parts;
    this.#compactions = compactions;
  }

  /** Begins `log` with the first `count` puts of another one. */
  async continue(sql: Transaction, nameId: number, log: number, from: number, count: number): Promise<void> {
    let baseLog = from;
    // As low as possible: a log that adds nothing to these puts need not be kept for them.
    for (let base = await this.#baseOf(sql, nameId, baseLog); base && count <= base.count; ) {
      baseLog = base.log;
      base = await this.#baseOf(sql, nameId, baseLog);
    }
    sql.send('INSERT INTO logs (name_id, log, base_log, base_count) VALUES ($1, $2, $3, $4)', [
      nameId,
      log,
      baseLog,
      count,
    ]);
  }

  /** After versions of a log have gone. */
  async trim(sql: Transaction, nameId: number, log: number): Promise<void> {
    const { needed, mayCompact, removed, joined } = trimOf(await this.#stateOf(sql, nameId, log));
    this.#parts.removeTail(sql, nameId, log, needed);
    if (mayCompact) this.#compactions.mark(sql, nameId, log);
    if (removed) {
      this.#delete(sql, nameId, log);
      await this.trim(sql, nameId, removed.base.log);
    }
    if (joined) {
      const { child, base } = joined;
      this.#parts.moveLog(sql, nameId, log, child);
      this.#delete(sql, nameId, log);
      if (base) this.#setBase(sql, nameId, child, base);
      else this.#delete(sql, nameId, child);
      this.#compactions.mark(sql, nameId, child);
    }
  }

  async #stateOf(sql: Sql, nameId: number, log: number): Promise<TrimmedLog> {
    const state = await sql.first<LogState>(
      `SELECT (SELECT max(part_count) FROM kept_versions WHERE name_id = $1 AND log = $2) AS own_end,
         ARRAY(SELECT json_build_array(log, base_count) FROM logs WHERE name_id = $1 AND base_log = $2) AS children,
         l.base_log, l.base_count
       FROM (SELECT) AS one LEFT JOIN logs l ON l.name_id = $1 AND l.log = $2`,
      [nameId, log],
    );
    if (!state) throw new Error('The catalog answered no row.');
    const { own_end, base_log, base_count: count, children } = state;
    return {
      ownEnd: own_end,
      base: base_log === null ? null : { log: base_log, count },
      children: children.map(([child, length]) => ({ log: child, count: length })),
    };
  }

  #delete(sql: Transaction, nameId: number, log: number): void {
    sql.send('DELETE FROM logs WHERE name_id = $1 AND log = $2', [nameId, log]);
  }

  #setBase(sql: Transaction, nameId: number, log: number, base: LogPiece): void {
    sql.send('UPDATE logs SET base_log = $3, base_count = $4 WHERE name_id = $1 AND log = $2', [
      ...[nameId, log, base.log, base.count],
    ]);
  }

  #baseOf(sql: Sql, nameId: number, log: number): Promise<LogPiece | undefined> {
    return sql.first(
      'SELECT base_log AS log, base_count AS count FROM logs WHERE name_id = $1 AND log = $2',
      [nameId, log],
    );
  }
}
