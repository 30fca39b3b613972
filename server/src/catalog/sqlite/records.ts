import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ListPage, SharedPage, VersionsPage } from '../../frames/ports/catalog.ts';
import { frameGone, frameNotFound } from '../refusals.ts';
import { isLive, type LiveName, type Names, remembered } from './names.ts';
import { schemaHashOf, type WireRecord, type WireVersions } from './protocol.ts';
import type { Schemas } from './schemas.ts';

/** What a commit and a read of parts want to know of a version. */
export interface VersionRow {
  readonly log: number;
  readonly part_count: number;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
}

/** In the order of WireRecord. */
const select = `
  SELECT n.tenant, n.name, v.version, n.frame_id, v.created_at, n.expires_at, v.rows, v.bytes, v.part_count,
    v.origin_kind, v.origin_format, s.hash`;
/** Only where one record is asked for: a page of long statements would be megabytes. */
const selectOne = `${select}, v.origin_query`;
const joined = 'FROM names n JOIN versions v ON v.name_id = n.id JOIN schemas s ON s.id = v.schema_id';

/** Every character of a name sorts below this one, so it closes the range of a prefix. */
const aboveNames = '\x7f';
const nameCharacters = /^[a-z0-9_.-]*$/;

/** Version records: one, those of a name, or a page of names. */
export class Records {
  readonly #names: Names;
  readonly #schemas: Schemas;
  readonly #row: StatementSync;
  readonly #version: StatementSync;
  readonly #versions: StatementSync;
  readonly #list: StatementSync;
  readonly #shared: StatementSync;

  constructor(db: DatabaseSync, names: Names, schemas: Schemas) {
    this.#names = names;
    this.#schemas = schemas;
    this.#row = db.prepare(`
      SELECT v.log, v.part_count, v.rows, v.bytes, s.hash
      FROM versions v JOIN schemas s ON s.id = v.schema_id WHERE v.name_id = ? AND v.version = ?`);
    this.#version = prepareRecords(db, `${selectOne} ${joined} WHERE n.id = ? AND v.version = ?`);
    this.#versions = prepareRecords(
      db,
      `${select} ${joined} WHERE n.id = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`,
    );
    // CROSS JOIN keeps SQLite to this order: one walk along the index of live names.
    this.#list = prepareRecords(
      db,
      `
      ${select} FROM names n INDEXED BY names_live
      CROSS JOIN versions v ON v.name_id = n.id AND v.version = n.newest
      CROSS JOIN schemas s ON s.id = v.schema_id
      WHERE n.newest IS NOT NULL AND n.tenant = ? AND n.lower > ? AND n.lower >= ? AND n.lower < ?
        AND (n.expires_at IS NULL OR n.expires_at > ?)
      ORDER BY n.lower LIMIT ?`,
    );
    this.#shared = prepareRecords(
      db,
      `
      ${select} FROM shares h CROSS JOIN names n ON n.id = h.name_id
      CROSS JOIN versions v ON v.name_id = n.id AND v.version = n.newest
      CROSS JOIN schemas s ON s.id = v.schema_id
      WHERE h.tenant = ? AND (n.tenant, n.lower) > (?, ?) AND (n.expires_at IS NULL OR n.expires_at > ?)
      ORDER BY n.tenant, n.lower LIMIT ?`,
    );
  }

  /** Names of others that this tenant may read, by their owners and names. */
  shared(reader: string, { after, limit }: SharedPage, now: number): WireVersions {
    return this.#wire(
      this.#shared.all(reader, after?.tenant ?? '', after?.name.toLowerCase() ?? '', now, limit),
    );
  }

  resolve(tenant: string, name: string, version: number | null, now: number): WireVersions {
    if (version === null) return this.newest(this.#names.requireLive(tenant, name, now));
    const row = this.#names.find(tenant, name);
    if (!row) throw frameNotFound(name, version);
    if (row.name !== name) throw frameNotFound(name, version, isLive(row, now) ? row.name : null);
    const found = this.#wire(this.#version.all(row.id, version));
    if (found.records.length === 0) throw this.#names.versionAbsence(row, version, now);
    if (isLive(row, now)) return found;
    const expiredAt = row.expires_at ?? 0;
    throw remembered(expiredAt, now)
      ? frameGone(name, version, 'expired', expiredAt)
      : frameNotFound(name, version);
  }

  newest(name: LiveName): WireVersions {
    return this.#wire(this.#version.all(name.id, name.newest));
  }

  /** A kept version, whether its name is live or not. */
  row(nameId: number, version: number): VersionRow | undefined {
    return this.#row.get(nameId, version) as VersionRow | undefined;
  }

  list(tenant: string, page: ListPage, now: number): WireVersions {
    const prefix = page.prefix.toLowerCase();
    if (!nameCharacters.test(prefix)) return { records: [], schemas: [] };
    const rows = this.#list.all(tenant, page.after ?? '', prefix, prefix + aboveNames, now, page.limit);
    return this.#wire(rows);
  }

  versions(tenant: string, name: string, page: VersionsPage, now: number): WireVersions {
    const row = this.#names.requireLive(tenant, name, now);
    const rows = this.#versions.all(row.id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit);
    return this.#wire(rows);
  }

  #wire(rows: unknown[]): WireVersions {
    const records = rows as WireRecord[];
    const hashes = new Set(records.map(schemaHashOf));
    return { records, schemas: Array.from(hashes, (hash) => this.#schemas.read(hash)) };
  }
}

function prepareRecords(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
