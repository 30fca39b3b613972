import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { FrameNotes } from '../../../model/notes.ts';
import type { FoundNames, NotesChange, SearchPage } from '../../../ports/catalog/notes.ts';
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

/** Its methods that are operations of the catalog. */
export const noteOperations = {
  reads: ['notes', 'search'],
  writes: ['setNotes'],
} as const;

/** What people say of names. Triggers end it with the name, and bring it back. */
export class Notes {
  readonly #names: Names;
  readonly #events: Events;
  readonly #find: StatementSync;
  readonly #findByName: StatementSync;
  readonly #set: StatementSync;
  readonly #remove: StatementSync;
  readonly #bytes: StatementSync;
  readonly #scan: StatementSync;

  constructor(db: DatabaseSync, names: Names, events: Events) {
    this.#names = names;
    this.#events = events;
    this.#find = db.prepare('SELECT body FROM notes WHERE name_id = ?');
    this.#findByName = db.prepare(`
      SELECT m.body FROM names n JOIN notes m ON m.name_id = n.id
      WHERE n.tenant = ? AND n.lower = ? AND n.name = ? AND n.newest IS NOT NULL AND (n.expires_at IS NULL OR n.expires_at > ?)`);
    this.#set = db.prepare(
      'INSERT OR REPLACE INTO notes (name_id, tenant, body, words, bytes, set_at, set_by) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#remove = db.prepare('DELETE FROM notes WHERE name_id = ?');
    this.#bytes = db.prepare(
      'SELECT CAST(total(bytes) AS INTEGER) AS bytes FROM notes INDEXED BY notes_tenant WHERE tenant = ?',
    );
    this.#scan = db.prepare(`
      SELECT name, lower, instr(lower, ?4) > 0 OR ifnull(instr((SELECT words FROM notes WHERE name_id = names.id), ?4), 0) > 0 AS is_found
      FROM names INDEXED BY names_live
      WHERE newest IS NOT NULL AND tenant = ?1 AND lower > ?2 AND (expires_at IS NULL OR expires_at > ?3)
      ORDER BY lower LIMIT ?5`);
  }

  notes(tenant: string, names: readonly string[], now: number): readonly (FrameNotes | null)[] {
    return names.map((name) =>
      notesOf(this.#findByName.get(tenant, name.toLowerCase(), name, now) as NotesRow | undefined),
    );
  }

  setNotes(change: NotesChange): void {
    const { tenant, name, notes, setBy, now } = change;
    const row = this.#names.requireLive(tenant, name, now);
    const found = this.#find.get(row.id) as NotesRow | undefined;
    if (!checkNotes(name, notesOf(found), change)) return;
    if (notes === null) this.#remove.run(row.id);
    else {
      const { body, words, bytes } = storedNotes(notes);
      this.#set.run(row.id, tenant, body, words, bytes, now, setBy);
      // In the transaction of the change: if it throws, nothing was changed.
      checkNotesBytes((this.#bytes.get(tenant) as { bytes: number }).bytes);
    }
    this.#events.add(notesEvent(row), now);
  }

  search(tenant: string, page: SearchPage, now: number): FoundNames {
    const scanned = this.#scan.all(tenant, page.after ?? '', now, page.text, page.scanMax);
    return foundNames(scanned as unknown as ScannedRow[], page);
  }
}
