import type { CatalogBacklog } from '../../../ports/catalog/maintenance.ts';
import type { Sql } from '../../../postgres/database.ts';
import { transcodeLater, transcodeSoon } from '../../transcode-conditions.ts';

interface BacklogRow {
  readonly parts: number;
  readonly bytes: number;
  readonly since: number | null;
  readonly logs: number;
  readonly garbage: number;
}

/** How much waits for the background. */
export class BacklogTable {
  async backlog(sql: Sql, countMax: number): Promise<CatalogBacklog> {
    const waiting = (condition: string, order: string) =>
      `(SELECT arrow_bytes, added_at FROM parts WHERE ${condition} ORDER BY ${order} LIMIT $1)`;
    const row = await sql.first<BacklogRow>(
      `SELECT count(*) AS parts, coalesce(sum(arrow_bytes), 0) AS bytes, min(added_at) AS since,
        (SELECT count(*) FROM (SELECT 1 FROM merges_due LIMIT $1) m) AS logs,
        (SELECT count(*) FROM (SELECT 1 FROM garbage LIMIT $1) g) AS garbage
      FROM (${waiting(transcodeSoon, 'id')} UNION ALL ${waiting(transcodeLater, 'added_at')}) w`,
      [countMax],
    );
    return {
      untranscodedParts: Math.min(row?.parts ?? 0, countMax),
      untranscodedBytes: row?.bytes ?? 0,
      untranscodedSince: row?.since ?? null,
      uncompactedLogs: row?.logs ?? 0,
      garbageObjects: row?.garbage ?? 0,
    };
  }
}
