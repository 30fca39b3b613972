import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PartRecord } from '../../../model/version.ts';
import type { PartsBetween } from '../../../ports/catalog/versions.ts';
import { type LogPiece, trimOf } from '../../rules/logs.ts';
import type { Compactions } from '../maintenance/compactions.ts';
import type { Parts } from '../maintenance/parts.ts';

/** Logs that continue others, and which parts of a log are still needed. */
export class Logs {
  readonly #parts: Parts;
  readonly #compactions: Compactions;
  readonly #base: StatementSync;
  readonly #children: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #setBase: StatementSync;
  readonly #versionsEnd: StatementSync;

  constructor(db: DatabaseSync, parts: Parts, compactions: Compactions) {
    this.#parts = parts;
    this.#compactions = compactions;
    this.#base = db.prepare(
      'SELECT base_log AS log, base_count AS count FROM logs WHERE name_id = ? AND log = ?',
    );
    this.#children = db.prepare(
      'SELECT log, base_count AS count FROM logs WHERE name_id = ? AND base_log = ?',
    );
    this.#insert = db.prepare('INSERT INTO logs (name_id, log, base_log, base_count) VALUES (?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM logs WHERE name_id = ? AND log = ?');
    this.#setBase = db.prepare('UPDATE logs SET base_log = ?, base_count = ? WHERE name_id = ? AND log = ?');
    this.#versionsEnd = db.prepare(
      'SELECT max(part_count) AS count FROM kept_versions WHERE name_id = ? AND log = ?',
    );
  }

  /** The parts of a version that ends at `count` puts of this log, those of the logs below it included. */
  partsOf(nameId: number, log: number, count: number): PartRecord[] {
    const found = [this.#parts.ofLog(nameId, log, count)];
    for (let base = this.#baseOf(nameId, log); base; base = this.#baseOf(nameId, base.log))
      found.push(this.#parts.ofLog(nameId, base.log, base.count));
    return found.reverse().flat();
  }

  /** Those of them that hold rows from `first` to before `end`. */
  partsBetween(nameId: number, log: number, count: number, first: number, end: number): PartsBetween {
    const ends: LogPiece[] = [{ log, count }];
    for (let base = this.#baseOf(nameId, log); base; base = this.#baseOf(nameId, base.log)) ends.push(base);
    if (first >= end) return { rowsBefore: 0, parts: [] };
    const found = ends
      .reverse()
      .map((each) => this.#parts.between(nameId, each.log, each.count, first, end))
      .filter(({ parts }) => parts.length > 0);
    return { rowsBefore: found[0]?.rowsBefore ?? 0, parts: found.flatMap(({ parts }) => parts) };
  }

  /** Begins `log` with the first `count` puts of another one. */
  continue(nameId: number, log: number, from: number, count: number): void {
    let baseLog = from;
    // As low as possible: a log that adds nothing to these puts need not be kept for them.
    for (let base = this.#baseOf(nameId, baseLog); base && count <= base.count; ) {
      baseLog = base.log;
      base = this.#baseOf(nameId, baseLog);
    }
    this.#insert.run(nameId, log, baseLog, count);
  }

  /** After versions of a log have gone. */
  trim(nameId: number, log: number): void {
    const { needed, mayCompact, removed, joined } = trimOf({
      ownEnd: this.#versionsEnd.get(nameId, log)?.count as number | null,
      base: this.#baseOf(nameId, log),
      children: this.#children.all(nameId, log) as unknown as LogPiece[],
    });
    this.#parts.removeTail(nameId, log, needed);
    if (mayCompact) this.#compactions.mark(nameId, log);
    if (removed) {
      this.#delete.run(nameId, log);
      this.trim(nameId, removed.base.log);
    }
    if (joined) {
      const { child, base } = joined;
      this.#parts.moveLog(nameId, log, child);
      this.#delete.run(nameId, log);
      if (base) this.#setBase.run(base.log, base.count, nameId, child);
      else this.#delete.run(nameId, child);
      this.#compactions.mark(nameId, child);
    }
  }

  #baseOf(nameId: number, log: number): LogPiece | null {
    return (this.#base.get(nameId, log) as LogPiece | undefined) ?? null;
  }
}
