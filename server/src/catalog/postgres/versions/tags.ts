import type { ExpectedVersion } from '../../../model/expected-version.ts';
import { otherVersion } from '../../../model/other-version.ts';
import type { Tag, TagChange, TagRemoval } from '../../../ports/catalog/tags.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { tagsEvent } from '../../rules/events.ts';
import { checkTag, checkTagged, requireTag, type TagRow, tagOf } from '../../rules/tags.ts';
import type { Events } from '../events/events.ts';
import type { Names } from './names.ts';
import type { Pins } from './pins.ts';

/** Names for versions. Each pins its version; under the lock of the name, so that no prune misses it. */
export class Tags {
  readonly #names: Names;
  readonly #pins: Pins;
  readonly #events: Events;

  constructor(names: Names, pins: Pins, events: Events) {
    this.#names = names;
    this.#pins = pins;
    this.#events = events;
  }

  async taggedVersion(
    sql: Sql,
    tenant: string,
    name: string,
    tag: string,
    now: number,
  ): Promise<ExpectedVersion> {
    const { id } = await this.#names.requireLive(sql, tenant, name, now);
    const found = requireTag(await tagsOf(sql, id), name, tag);
    return { version: found.version, versionId: found.version_id };
  }

  async tags(sql: Sql, tenant: string, name: string, now: number): Promise<readonly Tag[]> {
    const { id } = await this.#names.requireLive(sql, tenant, name, now);
    return (await tagsOf(sql, id)).map(tagOf);
  }

  async setTag(sql: Transaction, change: TagChange): Promise<Tag> {
    const { tenant, name, tag, version, versionId, setBy, now } = change;
    const row = await this.#names.lockLive(sql, tenant, name, now);
    const kept = await sql.first<{ version_id: string }>(
      'SELECT version_id FROM versions WHERE name_id = $1 AND version = $2',
      [row.id, version],
    );
    if (kept === undefined) throw await this.#names.versionAbsence(sql, row, version, now);
    if (kept.version_id !== versionId) throw otherVersion(name, version);
    const same = checkTag(await tagsOf(sql, row.id), change);
    if (same !== null) return tagOf(same);
    sql.send(
      `INSERT INTO tags (name_id, tag, version, set_at, set_by) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (name_id, tag) DO UPDATE SET version = excluded.version, set_at = excluded.set_at, set_by = excluded.set_by`,
      [row.id, tag, version, now, setBy],
    );
    this.#pins.ended(sql, row.id, now);
    this.#events.add(sql, tagsEvent(row), now);
    return { tag, version, versionId, setAt: now, setBy };
  }

  async removeTag(sql: Transaction, { tenant, name, tag, ifVersion, now }: TagRemoval): Promise<void> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    checkTagged(name, tag, requireTag(await tagsOf(sql, row.id), name, tag), ifVersion);
    sql.send('DELETE FROM tags WHERE name_id = $1 AND tag = $2', [row.id, tag]);
    this.#pins.ended(sql, row.id, now);
    this.#events.add(sql, tagsEvent(row), now);
  }

  /** Those of versions that cannot come back. */
  end(sql: Transaction, nameId: number): void {
    sql.send(
      `DELETE FROM tags WHERE name_id = $1
         AND version NOT IN (SELECT version FROM kept_versions WHERE name_id = $1)`,
      [nameId],
    );
  }
}

function tagsOf(sql: Sql, nameId: number): Promise<TagRow[]> {
  return sql.rows<TagRow>(
    `SELECT t.tag, t.version, v.version_id, t.set_at, t.set_by FROM tags t JOIN versions v USING (name_id, version)
    WHERE name_id = $1 ORDER BY t.version DESC, t.tag`,
    [nameId],
  );
}
