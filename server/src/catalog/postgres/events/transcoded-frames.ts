import type { Transaction } from '../../../postgres/database.ts';
import { type TranscodedRow, transcodedEvent } from '../../rules/events.ts';
import type { Events } from './events.ts';

/** Notices when the last part of a newest version is transcoded. */
export class TranscodedFrames {
  readonly #events: Events;

  constructor(events: Events) {
    this.#events = events;
  }

  /** Call when the part has got its Parquet form, or was refused one. */
  async transcoded(sql: Transaction, partId: string, now: number): Promise<void> {
    // Pieces are what the newest version reads of each log. Each is looked at from its end: parts are transcoded oldest first, so a log that
    // has one left mostly has it there.
    const newest = await sql.first<TranscodedRow>(
      `WITH RECURSIVE place AS (SELECT name_id, log, seq FROM parts WHERE part_id = $1),
      newest AS (
        SELECT n.tenant, n.name, v.version, v.rows, v.bytes, n.expires_at, v.log, v.part_count
        FROM place JOIN names n ON n.id = place.name_id JOIN versions v ON v.name_id = n.id AND v.version = n.newest),
      piece (log, count) AS (
        SELECT log, part_count FROM newest UNION ALL
        SELECT l.base_log, l.base_count FROM piece JOIN logs l ON l.name_id = (SELECT name_id FROM place) AND l.log = piece.log)
      SELECT tenant, name, version, rows, bytes, expires_at FROM newest
      WHERE EXISTS (SELECT 1 FROM piece, place WHERE piece.log = place.log AND place.seq < piece.count)
        AND NOT EXISTS (SELECT 1 FROM place, piece, LATERAL (
          SELECT 1 FROM parts p WHERE p.name_id = place.name_id AND p.log = piece.log AND p.seq < piece.count
            AND p.parquet_exact IS NULL AND p.refusal IS NULL ORDER BY p.seq DESC LIMIT 1) left_over)`,
      [partId],
    );
    if (newest) this.#events.add(sql, transcodedEvent(newest), now);
  }
}
