import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompactionLimits } from '../../../model/compaction-runs.ts';
import { partWork } from '../../../ports/catalog/leases.ts';
import type { NewPart } from '../../../ports/catalog/versions.ts';
import { quarantinedParts } from '../../damage-rows.ts';
import {
  compactedSchema,
  type FoundInRun,
  type LogPartRow,
  type PlacedPart,
  type PlacedRun,
  placedRun,
  type ReaderRow,
  replacesRun,
  runToCompact,
} from '../../rules/compaction.ts';
import type { CompactionStep, WireCompactionRun } from '../../wire.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Leases } from './leases.ts';
import type { Parts } from './parts.ts';

interface DueLog {
  readonly id: number;
  readonly name_id: number;
  readonly log: number;
}

/** Logs examined in one transaction, for which other changes wait: some milliseconds with short logs. */
const stepLogsMax = 20;

/** Its methods that are operations of the catalog. */
export const compactionOperations = {
  reads: [],
  writes: ['compactable', 'compact', 'refuseCompaction'],
} as const;

/** Compacting parts of a log, and the list of logs that may have some to compact. */
export class Compactions {
  readonly #parts: Parts;
  readonly #schemas: Schemas;
  readonly #leases: Leases;
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

  constructor(db: DatabaseSync, parts: Parts, schemas: Schemas, leases: Leases) {
    this.#leases = leases;
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
    this.#placed = db.prepare(
      'SELECT part_id, name_id, log, seq, first_row, rows FROM parts WHERE part_id = ?',
    );
    this.#countBetween = db.prepare(`
      SELECT count(*) AS count FROM parts WHERE name_id = ? AND log = ? AND seq BETWEEN ? AND ?
        AND id NOT IN (${quarantinedParts})`);
    this.#endsInside = db.prepare(`
      SELECT 1 FROM kept_versions WHERE name_id = ?1 AND log = ?2 AND part_count BETWEEN ?3 AND ?4
      UNION ALL SELECT 1 FROM logs WHERE name_id = ?1 AND base_log = ?2 AND base_count BETWEEN ?3 AND ?4
      LIMIT 1`);
    this.#refuse = db.prepare('UPDATE parts SET merge_refusal = ? WHERE part_id = ?');
  }

  /** Parts of this log may have become compactable. */
  mark(nameId: number, log: number): void {
    this.#mark.run(nameId, log);
  }

  /** Examines the logs that have waited longest. One with a run goes to the end of the list, one without leaves it. */
  compactable(limits: CompactionLimits, now: number): CompactionStep {
    const due = this.#due.all(stepLogsMax) as unknown as DueLog[];
    let leased = 0;
    for (const log of due) {
      this.#unmark.run(log.id);
      const run = this.#run(log, limits);
      if (run === null) continue;
      this.mark(log.name_id, log.log);
      if (this.#isLeased(run, now)) leased += 1;
      else return { run, more: true };
    }
    return { run: null, more: due.length === stepLogsMax && leased === 0 };
  }

  compact(partIds: readonly string[], part: NewPart, now: number): boolean {
    const placed = [part.id, ...partIds].flatMap(
      (id) => (this.#placed.get(id) as PlacedPart | undefined) ?? [],
    );
    const run = placedRun(partIds, part, placed, now);
    if (run === 'done') return true;
    if (run === null || !replacesRun(run, this.#foundIn(run), part)) {
      this.#parts.discard(part.arrow);
      return false;
    }
    const { name_id: nameId, log, last, firstRow } = run;
    this.#parts.remove(nameId, log, run.first, last);
    this.#parts.add(nameId, { log, seq: last, firstRow }, part, now);
    return true;
  }

  refuseCompaction(partId: string, reason: string): void {
    this.#refuse.run(reason, partId);
  }

  #isLeased({ parts }: WireCompactionRun, now: number): boolean {
    return this.#leases.isLeased(partWork.compact(parts[0]?.id ?? ''), now);
  }

  #run({ name_id, log }: DueLog, limits: CompactionLimits): WireCompactionRun | null {
    const rows = this.#log.all(name_id, log) as unknown as LogPartRow[];
    if (rows.length < limits.runPartsMin) return null;
    const ends = new Set(this.#versionEnds.all(name_id, log).map((row) => Number(row.part_count)));
    const run = runToCompact(rows, ({ seq }) => ends.has(seq + 1), limits);
    if (run === null) return null;
    const readers = this.#schemasOf.all(name_id, log, run.at(-1)?.seq ?? 0) as unknown as ReaderRow[];
    const hash = compactedSchema(readers);
    if (hash === null) return null;
    return {
      tenant: String(this.#tenant.get(name_id)?.tenant),
      schema: this.#schemas.read(hash),
      parts: this.#parts.byIds(run.map((row) => row.part_id)),
    };
  }

  #foundIn({ name_id, log, first, last }: PlacedRun): FoundInRun {
    return {
      count: Number(this.#countBetween.get(name_id, log, first, last)?.count),
      isCut: this.#endsInside.get(name_id, log, first + 1, last) !== undefined,
    };
  }
}
