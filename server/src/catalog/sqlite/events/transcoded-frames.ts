import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type TranscodedRow, transcodedEvent } from '../../rules/events.ts';
import type { Events } from './events.ts';

interface Place {
  readonly name_id: number;
  readonly log: number;
  readonly seq: number;
}

interface NewestRow extends TranscodedRow {
  readonly log: number;
  readonly part_count: number;
}

interface BaseRow {
  readonly base_log: number;
  readonly base_count: number;
}

/** Notices when the last part of a newest version is transcoded. */
export class TranscodedFrames {
  readonly #events: Events;
  readonly #place: StatementSync;
  readonly #newest: StatementSync;
  readonly #untranscoded: StatementSync;
  readonly #base: StatementSync;

  constructor(db: DatabaseSync, events: Events) {
    this.#events = events;
    this.#place = db.prepare('SELECT name_id, log, seq FROM parts WHERE part_id = ?');
    this.#newest = db.prepare(`
      SELECT n.tenant, n.name, v.version, v.rows, v.bytes, n.expires_at, v.log, v.part_count
      FROM names n JOIN versions v ON v.name_id = n.id AND v.version = n.newest WHERE n.id = ?`);
    // From the end: parts are transcoded oldest first, so a log that has one left mostly has it there.
    this.#untranscoded = db.prepare(`
      SELECT 1 FROM parts WHERE name_id = ? AND log = ? AND seq < ?
        AND parquet_exact IS NULL AND refusal IS NULL ORDER BY seq DESC LIMIT 1`);
    this.#base = db.prepare('SELECT base_log, base_count FROM logs WHERE name_id = ? AND log = ?');
  }

  /** Call when the part has got its Parquet form, or was refused one. */
  transcoded(partId: string, now: number): void {
    const place = this.#place.get(partId) as Place | undefined;
    if (!place) return;
    const newest = this.#newest.get(place.name_id) as NewestRow | undefined;
    if (!newest || !this.#isLastOf(newest, place)) return;
    this.#events.add(transcodedEvent(newest), now);
  }

  /** Whether the version has the part, and none that is not transcoded. */
  #isLastOf({ log, part_count }: NewestRow, place: Place): boolean {
    let isIts = false;
    let piece: { readonly log: number; readonly count: number } | null = { log, count: part_count };
    while (piece !== null) {
      if (this.#untranscoded.get(place.name_id, piece.log, piece.count)) return false;
      isIts ||= piece.log === place.log && place.seq < piece.count;
      const base = this.#base.get(place.name_id, piece.log) as BaseRow | undefined;
      piece = base === undefined ? null : { log: base.base_log, count: base.base_count };
    }
    return isIts;
  }
}
