import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CatalogBacklog } from '../../../ports/catalog/maintenance.ts';
import { settleLater, settleSoon } from '../../settle-conditions.ts';

/** Its methods that are operations of the catalog. */
export const backlogOperations = { reads: ['backlog'] } as const;

/** How much waits for the background. */
export class BacklogTable {
  readonly #unsettled: StatementSync;
  readonly #others: StatementSync;

  constructor(db: DatabaseSync) {
    const waiting = (index: string, condition: string, order: string) =>
      `SELECT * FROM (SELECT arrow_bytes, added_at FROM parts INDEXED BY ${index} WHERE ${condition} ORDER BY ${order} LIMIT ?1)`;
    this.#unsettled = db.prepare(`
      SELECT count(*) AS parts, CAST(total(arrow_bytes) AS INTEGER) AS bytes, min(added_at) AS since
      FROM (${waiting('parts_settle_soon', settleSoon, 'id')} UNION ALL ${waiting('parts_settle_later', settleLater, 'added_at')})`);
    this.#others = db.prepare(`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM merges_due LIMIT ?1)) AS logs,
        (SELECT count(*) FROM (SELECT 1 FROM garbage LIMIT ?1)) AS garbage`);
  }

  backlog(countMax: number): CatalogBacklog {
    const { parts, bytes, since } = this.#unsettled.get(countMax) as unknown as {
      readonly parts: number;
      readonly bytes: number;
      readonly since: number | null;
    };
    const { logs, garbage } = this.#others.get(countMax) as unknown as {
      readonly logs: number;
      readonly garbage: number;
    };
    return {
      unsettledParts: Math.min(parts, countMax),
      unsettledBytes: bytes,
      unsettledSince: since,
      unmergedLogs: logs,
      garbageObjects: garbage,
    };
  }
}
