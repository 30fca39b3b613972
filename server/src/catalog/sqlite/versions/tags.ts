import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExpectedVersion } from '../../../model/expected-version.ts';
import { otherVersion } from '../../../model/other-version.ts';
import type { Tag, TagChange, TagRemoval } from '../../../ports/catalog/tags.ts';
import { tagsEvent } from '../../rules/events.ts';
import { checkTag, checkTagged, requireTag, type TagRow, tagOf } from '../../rules/tags.ts';
import type { Events } from '../events/events.ts';
import type { Names } from './names.ts';
import type { Pins } from './pins.ts';

/** Its methods that are operations of the catalog. */
export const tagOperations = {
  reads: ['taggedVersion', 'tags'],
  writes: ['setTag', 'removeTag'],
} as const;

/** Names for versions. Each pins its version. */
export class Tags {
  readonly #names: Names;
  readonly #pins: Pins;
  readonly #events: Events;
  readonly #list: StatementSync;
  readonly #version: StatementSync;
  readonly #set: StatementSync;
  readonly #remove: StatementSync;
  readonly #end: StatementSync;

  constructor(db: DatabaseSync, names: Names, pins: Pins, events: Events) {
    this.#names = names;
    this.#pins = pins;
    this.#events = events;
    this.#list = db.prepare(`
      SELECT t.tag, t.version, v.version_id, t.set_at, t.set_by FROM tags t JOIN versions v USING (name_id, version)
      WHERE name_id = ? ORDER BY t.version DESC, t.tag`);
    this.#version = db.prepare('SELECT version_id FROM versions WHERE name_id = ? AND version = ?');
    this.#set = db.prepare(
      'INSERT OR REPLACE INTO tags (name_id, tag, version, set_at, set_by) VALUES (?, ?, ?, ?, ?)',
    );
    this.#remove = db.prepare('DELETE FROM tags WHERE name_id = ? AND tag = ?');
    this.#end = db.prepare(`
      DELETE FROM tags WHERE name_id = ?1 AND version NOT IN (SELECT version FROM kept_versions WHERE name_id = ?1)`);
  }

  taggedVersion(tenant: string, name: string, tag: string, now: number): ExpectedVersion {
    const { id } = this.#names.requireLive(tenant, name, now);
    const found = requireTag(this.#rows(id), name, tag);
    return { version: found.version, versionId: found.version_id };
  }

  tags(tenant: string, name: string, now: number): readonly Tag[] {
    return this.#rows(this.#names.requireLive(tenant, name, now).id).map(tagOf);
  }

  setTag(change: TagChange): Tag {
    const { tenant, name, tag, version, versionId, setBy, now } = change;
    const row = this.#names.requireLive(tenant, name, now);
    const kept = this.#version.get(row.id, version) as { version_id: string } | undefined;
    if (kept === undefined) throw this.#names.versionAbsence(row, version, now);
    if (kept.version_id !== versionId) throw otherVersion(name, version);
    const same = checkTag(this.#rows(row.id), change);
    if (same !== null) return tagOf(same);
    this.#set.run(row.id, tag, version, now, setBy);
    this.#pins.ended(row.id, now);
    this.#events.add(tagsEvent(row), now);
    return { tag, version, versionId, setAt: now, setBy };
  }

  removeTag({ tenant, name, tag, ifVersion, now }: TagRemoval): void {
    const row = this.#names.requireLive(tenant, name, now);
    checkTagged(name, tag, requireTag(this.#rows(row.id), name, tag), ifVersion);
    this.#remove.run(row.id, tag);
    this.#pins.ended(row.id, now);
    this.#events.add(tagsEvent(row), now);
  }

  /** Those of versions that cannot come back. */
  end(nameId: number): void {
    this.#end.run(nameId);
  }

  #rows(nameId: number): TagRow[] {
    return this.#list.all(nameId) as unknown as TagRow[];
  }
}
