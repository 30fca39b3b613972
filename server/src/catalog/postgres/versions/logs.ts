import type { Sql, Transaction } from '../../../postgres/database.ts';

/** What removes and moves parts. */
interface LogParts {
  /** Removes the parts of a log from `seq` on. */
  removeTail(sql: Transaction, nameId: number, log: number, seq: number): void;
  /** All parts of one log, each with its place, become parts of another. */
  moveLog(sql: Transaction, nameId: number, from: number, to: number): void;
}

interface DueMerges {
  mark(sql: Transaction, nameId: number, log: number): void;
}

interface LogBase {
  readonly base_log: number;
  readonly base_count: number;
}

interface LogState {
  readonly own_end: number | null;
  readonly children: readonly (readonly [log: number, baseCount: number])[];
  readonly base_log: number | null;
  readonly base_count: number | null;
}

/** Logs that continue others, and which parts of a log are still needed. Its changes need the lock of the name. */
export class Logs {
  readonly #parts: LogParts;
  readonly #merges: DueMerges;

  constructor(parts: LogParts, merges: DueMerges) {
    this.#parts = parts;
    this.#merges = merges;
  }

  /** Begins `log` with the first `count` puts of another one. */
  async continue(sql: Transaction, nameId: number, log: number, from: number, count: number): Promise<void> {
    let baseLog = from;
    // As low as possible: a log that adds nothing to these puts need not be kept for them.
    for (let base = await this.#baseOf(sql, nameId, baseLog); base && count <= base.base_count; ) {
      baseLog = base.base_log;
      base = await this.#baseOf(sql, nameId, baseLog);
    }
    sql.send('INSERT INTO logs (name_id, log, base_log, base_count) VALUES ($1, $2, $3, $4)', [
      nameId,
      log,
      baseLog,
      count,
    ]);
  }

  /**
   * After versions of a log have gone: removes the parts behind its longest kept version and behind what other logs continue. A log
   * without versions of its own goes once nothing continues it, and becomes part of the other if one log alone does:
   * so there are never more than twice as many logs as versions.
   */
  async trim(sql: Transaction, nameId: number, log: number): Promise<void> {
    const { own_end: ownEnd, children, ...own } = await this.#stateOf(sql, nameId, log);
    const needed = Math.max(ownEnd ?? 0, ...children.map(([, count]) => count));
    this.#parts.removeTail(sql, nameId, log, needed);
    // A version that has gone no longer keeps the parts on both sides of its end apart.
    if (needed > 1) this.#merges.mark(sql, nameId, log);
    if (ownEnd !== null) return;
    const base = own.base_log === null ? null : { log: own.base_log, count: own.base_count };
    const [child] = children;
    if (child === undefined) {
      if (base === null) return;
      this.#delete(sql, nameId, log);
      await this.trim(sql, nameId, base.log);
    } else if (children.length === 1) {
      const [childLog] = child;
      this.#parts.moveLog(sql, nameId, log, childLog);
      this.#delete(sql, nameId, log);
      if (base === null) this.#delete(sql, nameId, childLog);
      else
        sql.send('UPDATE logs SET base_log = $3, base_count = $4 WHERE name_id = $1 AND log = $2', [
          nameId,
          childLog,
          base.log,
          base.count,
        ]);
      this.#merges.mark(sql, nameId, childLog);
    }
  }

  async #stateOf(sql: Sql, nameId: number, log: number): Promise<LogState> {
    const state = await sql.first<LogState>(
      `SELECT (SELECT max(part_count) FROM kept_versions WHERE name_id = $1 AND log = $2) AS own_end,
         ARRAY(SELECT json_build_array(log, base_count) FROM logs WHERE name_id = $1 AND base_log = $2) AS children,
         l.base_log, l.base_count
       FROM (SELECT) AS one LEFT JOIN logs l ON l.name_id = $1 AND l.log = $2`,
      [nameId, log],
    );
    if (!state) throw new Error('The catalog answered no row.');
    return state;
  }

  #delete(sql: Transaction, nameId: number, log: number): void {
    sql.send('DELETE FROM logs WHERE name_id = $1 AND log = $2', [nameId, log]);
  }

  #baseOf(sql: Sql, nameId: number, log: number): Promise<LogBase | undefined> {
    return sql.first('SELECT base_log, base_count FROM logs WHERE name_id = $1 AND log = $2', [nameId, log]);
  }
}
