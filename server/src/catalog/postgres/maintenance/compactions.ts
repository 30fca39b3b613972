import type { CompactionLimits } from '../../../model/compaction-runs.ts';
import { partWork } from '../../../ports/catalog/leases.ts';
import type { NewPart } from '../../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
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
import type { Transactions } from '../transactions.ts';
import type { Schemas } from '../versions/schemas.ts';
import { leaseHolds } from './lease-holds.ts';
import type { Parts } from './parts.ts';

interface DueLog {
  readonly id: number;
  readonly marks: number;
  readonly name_id: number;
  readonly log: number;
}

interface LogRow extends LogPartRow {
  readonly ends_version: boolean;
}

/** Logs examined in one step. */
const stepLogsMax = 20;

/** Compacting parts of a log, and the list of logs that may have some to compact. */
export class Compactions {
  readonly #parts: Parts;
  readonly #schemas: Schemas;

  constructor(parts: Parts, schemas: Schemas) {
    this.#parts = parts;
    this.#schemas = schemas;
  }

  /** Parts of this log may have become compactable. Counting the marks tells whoever examined the log before that it did not see this. */
  mark(sql: Transaction, nameId: number, log: number): void {
    sql.send(
      `INSERT INTO merges_due AS m (name_id, log) VALUES ($1, $2)
      ON CONFLICT (name_id, log) DO UPDATE SET marks = m.marks + 1`,
      [nameId, log],
    );
  }

  /**
   * Examines the logs that have waited longest. One with a run goes to the end of the list, one without leaves it. Nothing is locked meanwhile:
   * a log that was marked again stays in its place.
   */
  async compactable(database: Transactions, limits: CompactionLimits, now: number): Promise<CompactionStep> {
    const due = await database.read((sql) =>
      sql.rows<DueLog>('SELECT id, marks, name_id, log FROM merges_due ORDER BY id LIMIT $1', [stepLogsMax]),
    );
    const without: DueLog[] = [];
    const others: DueLog[] = [];
    let free: WireCompactionRun | null = null;
    let leased = 0;
    for (const log of due) {
      const run = await database.read((sql) => this.#run(sql, log, limits));
      (run === null ? without : others).push(log);
      if (run === null || run === 'changed') continue;
      if (await database.read((sql) => isLeased(sql, run, now))) leased += 1;
      else free = run;
      if (free !== null) break;
    }
    const noted = due.length > 0 ? await database.change((sql) => examined(sql, without, others)) : 0;
    return { run: free, more: free !== null || (due.length === stepLogsMax && leased === 0 && noted > 0) };
  }

  async compact(sql: Transaction, partIds: readonly string[], part: NewPart, now: number): Promise<boolean> {
    sql.send(
      `SELECT 1 FROM names WHERE id = (SELECT name_id FROM parts WHERE part_id = $1) FOR NO KEY UPDATE`,
      [partIds[0]],
    );
    const placed = await sql.rows<PlacedPart>(
      'SELECT part_id, name_id, log, seq, first_row, rows FROM parts WHERE part_id = ANY ($1)',
      [[...partIds, part.id]],
    );
    const run = placedRun(partIds, part, placed, now);
    if (run === 'done') return true;
    if (run === null || !replacesRun(run, await foundIn(sql, run), part)) {
      this.#parts.discard(sql, [part.arrow]);
      return false;
    }
    const { name_id: nameId, log, last, firstRow } = run;
    this.#parts.remove(sql, nameId, log, run.first, last);
    this.#parts.add(sql, nameId, { log, seq: last, firstRow }, part, now);
    return true;
  }

  async refuseCompaction(sql: Transaction, partId: string, reason: string): Promise<void> {
    await this.#parts.lock(sql, partId);
    sql.send('UPDATE parts SET merge_refusal = $1 WHERE part_id = $2', [reason, partId]);
  }

  async #run(
    sql: Sql,
    { name_id, log }: DueLog,
    limits: CompactionLimits,
  ): Promise<WireCompactionRun | 'changed' | null> {
    const rows = await sql.rows<LogRow>(
      `SELECT p.part_id, p.seq, p.size, p.merge_refusal IS NOT NULL OR p.id IN (${quarantinedParts}) AS apart,
        EXISTS (SELECT 1 FROM kept_versions v WHERE v.name_id = $1 AND v.log = $2 AND v.part_count = p.seq + 1)
        OR EXISTS (SELECT 1 FROM logs l WHERE l.name_id = $1 AND l.base_log = $2 AND l.base_count = p.seq + 1)
          AS ends_version
      FROM parts p WHERE p.name_id = $1 AND p.log = $2 ORDER BY p.seq`,
      [name_id, log],
    );
    if (rows.length < limits.runPartsMin) return null;
    const run = runToCompact(rows, (row) => row.ends_version, limits);
    if (run === null) return null;
    const hash = compactedSchema(await readersOf(sql, name_id, log, run.at(-1)?.seq ?? 0));
    if (hash === null) return null;
    const parts = await this.#parts.byIds(
      sql,
      run.map((row) => row.part_id),
    );
    const name = await sql.first<{ tenant: string }>('SELECT tenant FROM names WHERE id = $1', [name_id]);
    // Another node has compacted or ended some of them meanwhile.
    if (parts.length < run.length || name === undefined) return 'changed';
    return { tenant: name.tenant, schema: await this.#schemas.read(sql, hash), parts };
  }
}

/** Logs without a run leave the list, unless they were marked since; the others go to its end. Answers how many did. */
async function examined(
  sql: Transaction,
  without: readonly DueLog[],
  others: readonly DueLog[],
): Promise<number> {
  const left = await sql.run(
    `DELETE FROM merges_due m USING (
      SELECT m.id FROM merges_due m JOIN unnest($1::bigint[], $2::bigint[]) AS seen (id, marks) USING (id, marks)
      ORDER BY m.id FOR UPDATE OF m SKIP LOCKED) gone
    WHERE m.id = gone.id`,
    [without.map((log) => log.id), without.map((log) => log.marks)],
  );
  const moved = await sql.run(
    `UPDATE merges_due m SET id = nextval(pg_get_serial_sequence('merges_due', 'id')) FROM (
      SELECT id FROM merges_due WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED) moved
    WHERE m.id = moved.id`,
    [others.map((log) => log.id)],
  );
  return left + moved;
}

async function isLeased(sql: Sql, { parts }: WireCompactionRun, now: number): Promise<boolean> {
  const work = partWork.compact(parts[0]?.id ?? '');
  const held = `SELECT 1 FROM claims c WHERE c.work = $1 AND ${leaseHolds('$2')}`;
  return (await sql.first(held, [work, now])) !== undefined;
}

/** Versions that read the part, those that end first before the others. */
function readersOf(sql: Sql, nameId: number, log: number, seq: number): Promise<ReaderRow[]> {
  return sql.rows<ReaderRow>(
    `WITH RECURSIVE reading (log) AS (
      SELECT $2::bigint UNION ALL
      SELECT l.log FROM logs l JOIN reading r ON l.base_log = r.log WHERE l.name_id = $1 AND l.base_count > $3)
    SELECT v.log, s.hash, min(v.part_count) AS count FROM kept_versions v JOIN schemas s ON s.id = v.schema_id
    WHERE v.name_id = $1 AND v.log IN (SELECT log FROM reading) AND v.part_count > $3
    GROUP BY v.log, s.hash ORDER BY count`,
    [nameId, log, seq],
  );
}

async function foundIn(sql: Sql, { name_id, log, first, last }: PlacedRun): Promise<FoundInRun> {
  const found = await sql.first<FoundInRun>(
    `SELECT (SELECT count(*) FROM parts WHERE name_id = $1 AND log = $2 AND seq BETWEEN $3 AND $4
        AND id NOT IN (${quarantinedParts})) AS count,
      EXISTS (SELECT 1 FROM kept_versions WHERE name_id = $1 AND log = $2 AND part_count > $3 AND part_count <= $4)
      OR EXISTS (SELECT 1 FROM logs WHERE name_id = $1 AND base_log = $2 AND base_count > $3 AND base_count <= $4)
        AS "isCut"`,
    [name_id, log, first, last],
  );
  return found ?? { count: 0, isCut: false };
}
