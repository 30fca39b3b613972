import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CatalogBacklog } from '../../../ports/catalog/maintenance.ts';
import { transcodeLater, transcodeSoon } from '../../transcode-conditions.ts';

/** Its methods that are operations of the catalog. */
export const backlogOperations = { reads: ['backlog'] } as const;

/** How much waits for the background. */
export class BacklogTable {
  readonly #untranscoded: StatementSync;
  readonly #others: StatementSync;

  constructor(db: DatabaseSync) {
    const waiting = (index: string, condition: string, order: string) =>
      `SELECT * FROM (SELECT arrow_bytes, added_at FROM parts INDEXED BY ${index} WHERE ${condition} ORDER BY ${order} LIMIT ?1)`;
    this.#untranscoded = db.prepare(`
      SELECT count(*) AS parts, CAST(total(arrow_bytes) AS INTEGER) AS bytes, min(added_at) AS since
      FROM (${waiting('parts_settle_soon', transcodeSoon, 'id')} UNION ALL ${waiting('parts_settle_later', transcodeLater, 'added_at')})`);
    this.#others = db.prepare(`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM merges_due LIMIT ?1)) AS logs,
        (SELECT count(*) FROM (SELECT 1 FROM garbage LIMIT ?1)) AS garbage`);
  }

  backlog(countMax: number): CatalogBacklog {
    const { parts, bytes, since } = this.#untranscoded.get(countMax) as unknown as {
      readonly parts: number;
      readonly bytes: number;
      readonly since: number | null;
    };
    const { logs, garbage } = this.#others.get(countMax) as unknown as {
      readonly logs: number;
      readonly garbage: number;
    };
    return {
      untranscodedParts: Math.min(parts, countMax),
      untranscodedBytes: bytes,
      untranscodedSince: since,
      uncompactedLogs: logs,
      garbageObjects: garbage,
    };
  }
}
