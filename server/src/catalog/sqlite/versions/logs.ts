import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PartsBetween } from '../../../frames/ports/catalog/versions.ts';
import type { PartRecord } from '../../../frames/version.ts';
import type { Merges } from '../maintenance/merges.ts';
import type { Parts } from '../maintenance/parts.ts';

interface LogBase {
  readonly base_log: number;
  readonly base_count: number;
}

interface Child {
  readonly log: number;
  readonly base_count: number;
}

/** Logs that continue others, and which parts of a log are still needed. */
export class Logs {
  readonly #parts: Parts;
  readonly #merges: Merges;
  readonly #base: StatementSync;
  readonly #children: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #setBase: StatementSync;
  readonly #versionsEnd: StatementSync;

  constructor(db: DatabaseSync, parts: Parts, merges: Merges) {
    this.#parts = parts;
    this.#merges = merges;
    this.#base = db.prepare('SELECT base_log, base_count FROM logs WHERE name_id = ? AND log = ?');
    this.#children = db.prepare('SELECT log, base_count FROM logs WHERE name_id = ? AND base_log = ?');
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
    for (let base = this.#baseOf(nameId, log); base; base = this.#baseOf(nameId, base.base_log))
      found.push(this.#parts.ofLog(nameId, base.base_log, base.base_count));
    return found.reverse().flat();
  }

  /** Those of them that hold rows from `first` to before `end`. */
  partsBetween(nameId: number, log: number, count: number, first: number, end: number): PartsBetween {
    const ends = [{ log, count }];
    for (let base = this.#baseOf(nameId, log); base; base = this.#baseOf(nameId, base.base_log))
      ends.push({ log: base.base_log, count: base.base_count });
    const parts: PartRecord[] = [];
    let rowsBefore = 0;
    if (first >= end) return { rowsBefore, parts };
    let passed = 0;
    for (const each of ends.reverse()) {
      const found = this.#parts.between(nameId, each.log, each.count, first - passed, end - passed);
      if (parts.length === 0) rowsBefore = passed + found.rowsBefore;
      parts.push(...found.parts);
      passed += this.#parts.rowsOf(nameId, each.log, each.count);
    }
    return { rowsBefore, parts };
  }

  /** Begins `log` with the first `count` puts of another one. */
  continue(nameId: number, log: number, from: number, count: number): void {
    let baseLog = from;
    // As low as possible: a log that adds nothing to these puts need not be kept for them.
    for (let base = this.#baseOf(nameId, baseLog); base && count <= base.base_count; ) {
      baseLog = base.base_log;
      base = this.#baseOf(nameId, baseLog);
    }
    this.#insert.run(nameId, log, baseLog, count);
  }

  /**
   * After versions of a log have gone: removes the parts behind its longest kept version and behind what other logs continue. A log
   * without versions of its own goes once nothing continues it, and becomes part of the other if one log alone does:
   * so there are never more than twice as many logs as versions.
   */
  trim(nameId: number, log: number): void {
    const children = this.#children.all(nameId, log) as unknown as Child[];
    const ownEnd = this.#versionsEnd.get(nameId, log)?.count as number | null;
    const needed = Math.max(ownEnd ?? 0, ...children.map((child) => child.base_count));
    this.#parts.removeTail(nameId, log, needed);
    // A version that has gone no longer keeps the parts on both sides of its end apart.
    if (needed > 1) this.#merges.mark(nameId, log);
    if (ownEnd !== null) return;
    const [child] = children;
    if (child === undefined) this.#remove(nameId, log);
    else if (children.length === 1) this.#join(nameId, log, child);
  }

  #remove(nameId: number, log: number): void {
    const base = this.#baseOf(nameId, log);
    if (base === undefined) return;
    this.#delete.run(nameId, log);
    this.trim(nameId, base.base_log);
  }

  #join(nameId: number, log: number, child: Child): void {
    const base = this.#baseOf(nameId, log);
    this.#parts.moveLog(nameId, log, child.log);
    this.#delete.run(nameId, log);
    if (base) this.#setBase.run(base.base_log, base.base_count, nameId, child.log);
    else this.#delete.run(nameId, child.log);
    this.#merges.mark(nameId, child.log);
  }

  #baseOf(nameId: number, log: number): LogBase | undefined {
    return this.#base.get(nameId, log) as LogBase | undefined;
  }
}
