import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FrameholdError } from '../../../frames/errors.ts';
import { chooseRun, type MergeLimits } from '../../../frames/parts/merge-runs.ts';
import { partWork } from '../../../frames/ports/catalog/claims.ts';
import type { NewPart } from '../../../frames/ports/catalog/versions.ts';
import { quarantinedParts } from '../../damage-rows.ts';
import { refuseOldAttempt } from '../../refusals.ts';
import type { MergeStep, WireMergeRun } from '../../wire.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Claims } from './claims.ts';
import type { Parts } from './parts.ts';

interface DueLog {
  readonly id: number;
  readonly name_id: number;
  readonly log: number;
}

interface LogRow {
  readonly part_id: string;
  readonly seq: number;
  readonly size: number;
  readonly apart: number;
}

interface PlacedPart {
  readonly name_id: number;
  readonly log: number;
  readonly seq: number;
  readonly rows: number;
}

/** Logs examined in one transaction, for which other changes wait: some milliseconds with short logs. */
const stepLogsMax = 20;

/** Its methods that are operations of the catalog. */
export const mergeOperations = {
  reads: [],
  writes: ['mergeable', 'merge', 'refuseMerging'],
} as const;

/** Merging parts of a log, and the list of logs that may have some to merge. */
export class Merges {
  readonly #parts: Parts;
  readonly #schemas: Schemas;
  readonly #claims: Claims;
  readonly #mark: StatementSync;
  readonly #due: StatementSync;
  readonly #unmark: StatementSync;
  readonly #log: StatementSync;
  readonly #versionEnds: StatementSync;
  readonly #tenant: StatementSync;
  readonly #schemasOf: StatementSync;
  readonly #placed: StatementSync;
  readonly #countBetween: StatementSync;
  readonly #endsInside: StatementSync;
  readonly #refuse: StatementSync;

  constructor(db: DatabaseSync, parts: Parts, schemas: Schemas, claims: Claims) {
    this.#claims = claims;
    this.#parts = parts;
    this.#schemas = schemas;
    this.#mark = db.prepare('INSERT OR IGNORE INTO merges_due (name_id, log) VALUES (?, ?)');
    this.#due = db.prepare('SELECT id, name_id, log FROM merges_due ORDER BY id LIMIT ?');
    this.#unmark = db.prepare('DELETE FROM merges_due WHERE id = ?');
    this.#log = db.prepare(`
      SELECT part_id, seq, size, merge_refusal IS NOT NULL OR id IN (${quarantinedParts}) AS apart FROM parts
      WHERE name_id = ? AND log = ? ORDER BY seq`);
    this.#versionEnds = db.prepare(`
      SELECT part_count FROM kept_versions WHERE name_id = ?1 AND log = ?2
      UNION SELECT base_count FROM logs WHERE name_id = ?1 AND base_log = ?2`);
    this.#tenant = db.prepare('SELECT tenant FROM names WHERE id = ?');
    this.#schemasOf = db.prepare(`
      WITH RECURSIVE reading (log) AS (
        SELECT ?2 UNION ALL
        SELECT l.log FROM logs l JOIN reading r ON l.base_log = r.log WHERE l.name_id = ?1 AND l.base_count > ?3)
      SELECT v.log, s.hash, min(v.part_count) AS count FROM kept_versions v JOIN schemas s ON s.id = v.schema_id
      WHERE v.name_id = ?1 AND v.log IN reading AND v.part_count > ?3 GROUP BY v.log, v.schema_id ORDER BY count`);
    this.#placed = db.prepare('SELECT name_id, log, seq, rows FROM parts WHERE part_id = ?');
    this.#countBetween = db.prepare(`
      SELECT count(*) AS count FROM parts WHERE name_id = ? AND log = ? AND seq BETWEEN ? AND ?
        AND id NOT IN (${quarantinedParts})`);
    this.#endsInside = db.prepare(`
      SELECT 1 FROM kept_versions WHERE name_id = ?1 AND log = ?2 AND part_count BETWEEN ?3 AND ?4
      UNION ALL SELECT 1 FROM logs WHERE name_id = ?1 AND base_log = ?2 AND base_count BETWEEN ?3 AND ?4
      LIMIT 1`);
    this.#refuse = db.prepare('UPDATE parts SET merge_refusal = ? WHERE part_id = ?');
  }

  /** Parts of this log may have become mergeable. */
  mark(nameId: number, log: number): void {
    this.#mark.run(nameId, log);
  }

  /** Examines the logs that have waited longest. One with a run goes to the end of the list, one without leaves it. */
  mergeable(limits: MergeLimits, now: number): MergeStep {
    const due = this.#due.all(stepLogsMax) as unknown as DueLog[];
    let claimed = 0;
    for (const log of due) {
      this.#unmark.run(log.id);
      const run = this.#run(log, limits);
      if (run === null) continue;
      this.mark(log.name_id, log.log);
      if (this.#isClaimed(run, now)) claimed += 1;
      else return { run, more: true };
    }
    return { run: null, more: due.length === stepLogsMax && claimed === 0 };
  }

  merge(partIds: readonly string[], part: NewPart, now: number): boolean {
    // The same merge again: its part is in use and must not become garbage.
    if (this.#placed.get(part.id)) return true;
    refuseOldAttempt(part.id, now);
    const placed = partIds.map((id) => this.#placed.get(id) as PlacedPart | undefined);
    const run = placed.filter((found) => found !== undefined);
    const first = run[0];
    const last = run.at(-1);
    if (!first || !last || run.length < partIds.length || !this.#isRun(run, first, last)) {
      this.#parts.discard(part.arrow);
      return false;
    }
    const rows = run.reduce((sum, each) => sum + each.rows, 0);
    if (rows !== part.rows)
      throw new FrameholdError(
        'internal',
        `Parts of ${rows} rows cannot be replaced by one of ${part.rows}.`,
      );
    this.#parts.remove(last.name_id, last.log, first.seq, last.seq);
    this.#parts.add(last.name_id, last.log, last.seq, part, now);
    return true;
  }

  refuseMerging(partId: string, reason: string): void {
    this.#refuse.run(reason, partId);
  }

  #isClaimed({ parts }: WireMergeRun, now: number): boolean {
    return this.#claims.isClaimed(partWork.merge(parts[0]?.id ?? ''), now);
  }

  #run({ name_id, log }: DueLog, limits: MergeLimits): WireMergeRun | null {
    const rows = this.#log.all(name_id, log) as unknown as LogRow[];
    if (rows.length < limits.runPartsMin) return null;
    const ends = new Set(this.#versionEnds.all(name_id, log).map((row) => Number(row.part_count)));
    const parts = rows.map((row) => ({
      bytes: row.size,
      apart: row.apart === 1,
      endsVersion: ends.has(row.seq + 1),
    }));
    const chosen = chooseRun(parts, limits);
    if (chosen === null) return null;
    const run = rows.slice(...chosen);
    const hash = this.#schemaHash(name_id, log, run.at(-1)?.seq ?? 0);
    if (hash === null) return null;
    return {
      tenant: String(this.#tenant.get(name_id)?.tenant),
      schema: this.#schemas.read(hash),
      parts: this.#parts.byIds(run.map((row) => row.part_id)),
    };
  }

  /**
   * Of the shortest version that reads the part: every longer one accepts its rows too. Versions of a log that continues this one may have made
   * other columns nullable: if the schemas differ then, there is none that all of them accept, and the parts stay as they are.
   */
  #schemaHash(nameId: number, log: number, seq: number): string | null {
    const readers = this.#schemasOf.all(nameId, log, seq) as { log: number; hash: string }[];
    const [shortest] = readers;
    if (shortest === undefined) return null;
    const oneLog = readers.every((reader) => reader.log === shortest.log);
    return oneLog || readers.every((reader) => reader.hash === shortest.hash) ? shortest.hash : null;
  }

  /** Sound neighbours of one log in their order, and no kept version ends before the last of them. */
  #isRun(run: readonly PlacedPart[], first: PlacedPart, last: PlacedPart): boolean {
    const { name_id, log } = first;
    const ordered = run.every(
      (part, index) =>
        part.name_id === name_id &&
        part.log === log &&
        (index === 0 || part.seq > (run[index - 1] as PlacedPart).seq),
    );
    if (!ordered) return false;
    const between = Number(this.#countBetween.get(name_id, log, first.seq, last.seq)?.count);
    return between === run.length && !this.#endsInside.get(name_id, log, first.seq + 1, last.seq);
  }
}
