import type { FrameNotes } from '../../../model/notes.ts';
import type { FoundNames, NotesChange, SearchPage } from '../../../ports/catalog/notes.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { notesEvent } from '../../rules/events.ts';
import {
  checkNotes,
  checkNotesBytes,
  foundNames,
  type NotesRow,
  notesOf,
  type ScannedRow,
  storedNotes,
} from '../../rules/notes.ts';
import type { Events } from '../events/events.ts';
import type { Names } from '../versions/names.ts';

/** What people say of names. Triggers end it with the name. */
export class Notes {
  readonly #names: Names;
  readonly #events: Events;

  constructor(names: Names, events: Events) {
    this.#names = names;
    this.#events = events;
  }

  async notes(
    sql: Sql,
    tenant: string,
    names: readonly string[],
    now: number,
  ): Promise<readonly (FrameNotes | null)[]> {
    const rows = await sql.rows<NotesRow & { readonly name: string }>(
      `SELECT n.name, m.body FROM names n JOIN notes m ON m.name_id = n.id
      WHERE n.tenant = $1 AND n.lower = ANY ($2::text[]) AND n.newest IS NOT NULL AND (n.expires_at IS NULL OR n.expires_at > $3)`,
      [tenant, names.map((name) => name.toLowerCase()), now],
    );
    const found = new Map(rows.map((row) => [row.name, row]));
    return names.map((name) => notesOf(found.get(name)));
  }

  /** A few bytes more than the limit may be kept if two frames of a tenant are described at once. */
  async setNotes(sql: Transaction, change: NotesChange): Promise<void> {
    const { tenant, name, notes, setBy, now } = change;
    const row = await this.#names.lockLive(sql, tenant, name, now);
    const found = await sql.first<NotesRow>('SELECT body FROM notes WHERE name_id = $1', [row.id]);
    if (!checkNotes(name, notesOf(found), change)) return;
    if (notes === null) sql.send('DELETE FROM notes WHERE name_id = $1', [row.id]);
    else {
      const { body, words, bytes } = storedNotes(notes);
      sql.send(
        `INSERT INTO notes (name_id, tenant, body, words, bytes, set_at, set_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (name_id) DO UPDATE SET body = excluded.body, words = excluded.words, bytes = excluded.bytes,
          set_at = excluded.set_at, set_by = excluded.set_by`,
        [row.id, tenant, body, words, bytes, now, setBy],
      );
      const total = await sql.first<{ bytes: number }>(
        'SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM notes WHERE tenant = $1',
        [tenant],
      );
      checkNotesBytes(total?.bytes ?? 0);
    }
    this.#events.add(sql, notesEvent(row), now);
  }

  async search(sql: Sql, tenant: string, page: SearchPage, now: number): Promise<FoundNames> {
    const scanned = await sql.rows<ScannedRow>(
      `SELECT n.name, n.lower, strpos(n.lower, $4) > 0 OR coalesce(strpos(m.words, $4), 0) > 0 AS is_found
      FROM (SELECT id, name, lower FROM names
        WHERE newest IS NOT NULL AND tenant = $1 AND lower > $2 AND (expires_at IS NULL OR expires_at > $3)
        ORDER BY lower LIMIT $5) n
      LEFT JOIN notes m ON m.name_id = n.id ORDER BY n.lower`,
      [tenant, page.after ?? '', now, page.text, page.scanMax],
    );
    return foundNames(scanned, page);
  }
}
