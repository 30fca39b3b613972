import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExpectedVersion } from '../../../model/expected-version.ts';
import type { SharedPage } from '../../../ports/catalog/sharing.ts';
import type { ListPage, VersionsPage } from '../../../ports/catalog/versions.ts';
import { rangeOf } from '../../listing-range.ts';
import type { LiveName, NameRow } from '../../name-rows.ts';
import type { NewestRow } from '../../rules/commit.ts';
import { settingEvents } from '../../rules/events.ts';
import {
  listedVersionsMax,
  requireSpelling,
  requireUnexpired,
  suggesting,
  suggestsVersions,
} from '../../rules/resolve.ts';
import type { SourceRow } from '../../rules/restore.ts';
import type { WireSchema } from '../../wire.ts';
import type { Events } from '../events/events.ts';
import { hashOf, type RecordTuple, rowOfTuple, type TupleVersions } from '../thread/record-tuples.ts';
import type { Names } from './names.ts';
import type { Schemas } from './schemas.ts';

/** In the order of RecordTuple. */
const selectWith = (query: string) => `
  SELECT n.tenant, n.name, v.version, n.frame_id, v.created_at, n.expires_at, v.rows, v.bytes, v.part_count,
    v.origin_kind, v.origin_format, s.hash, ${query}, v.restored_from, n.life, v.version_id, n.versions_keep`;
const select = selectWith('NULL');
/** Only for a single record: a page of long statements would be megabytes. */
const selectOne = selectWith('v.origin_query');
const joined = 'FROM names n JOIN versions v ON v.name_id = n.id JOIN schemas s ON s.id = v.schema_id';

const livePage = `
      WHERE n.newest IS NOT NULL AND n.tenant = ? AND n.lower > ? AND n.lower >= ? AND n.lower < ?
        AND (n.expires_at IS NULL OR n.expires_at > ?)
      ORDER BY n.lower LIMIT ?`;

/** A page of whole records ends with the one that fills this: a schema may have 16 MiB, and a page a thousand of them. */
const pageSchemaBytesMax = 4 * 1024 * 1024;

/** Its methods that are operations of the catalog. */
export const recordOperations = {
  reads: ['resolve', 'names', 'list', 'versions', 'shared'],
  writes: ['expire', 'keepVersions'],
} as const;

/** Version records: one, those of a name, or a page of names. */
export class Records {
  readonly #names: Names;
  readonly #schemas: Schemas;
  readonly #events: Events;
  readonly #row: StatementSync;
  readonly #source: StatementSync;
  readonly #version: StatementSync;
  readonly #versions: StatementSync;
  readonly #versionNumbers: StatementSync;
  readonly #listNames: StatementSync;
  readonly #list: StatementSync;
  readonly #shared: StatementSync;

  constructor(db: DatabaseSync, names: Names, schemas: Schemas, events: Events) {
    this.#names = names;
    this.#schemas = schemas;
    this.#events = events;
    this.#row = db.prepare(`
      SELECT v.log, v.part_count, v.rows, v.bytes, s.hash, v.version_id
      FROM versions v JOIN schemas s ON s.id = v.schema_id WHERE v.name_id = ? AND v.version = ?`);
    this.#source = db.prepare(`
      SELECT v.log, v.part_count, v.rows, v.bytes, s.hash, v.version_id, v.schema_id, v.origin_format, v.origin_query
      FROM versions v JOIN schemas s ON s.id = v.schema_id WHERE v.name_id = ? AND v.version = ?`);
    this.#version = prepareRecords(db, `${selectOne} ${joined} WHERE n.id = ? AND v.version = ?`);
    this.#versions = prepareRecords(
      db,
      `${select} ${joined} WHERE n.id = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`,
    );
    this.#versionNumbers = db.prepare(
      'SELECT version FROM versions WHERE name_id = ? ORDER BY version DESC LIMIT ?',
    );
    this.#listNames = db.prepare(`
      SELECT n.name FROM names n INDEXED BY names_live ${livePage}`);
    // CROSS JOIN keeps SQLite to this order: one walk along the index of live names.
    this.#list = prepareRecords(
      db,
      `
      ${select} FROM names n INDEXED BY names_live
      CROSS JOIN versions v ON v.name_id = n.id AND v.version = n.newest
      CROSS JOIN schemas s ON s.id = v.schema_id
      ${livePage}`,
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
  shared(reader: string, { after, limit, schemas }: SharedPage<boolean>, now: number): TupleVersions {
    const name = after?.name.toLowerCase() ?? '';
    return this.#page(recordsOf(this.#shared.all(reader, after?.tenant ?? '', name, now, limit)), schemas);
  }

  resolve(tenant: string, name: string, version: number | null, now: number): TupleVersions {
    if (version === null) return this.newest(this.#names.requireLive(tenant, name, now));
    const row = requireSpelling(this.#names.find(tenant, name), name, version, now);
    const found = this.#whole(recordsOf(this.#version.all(row.id, version)));
    if (found.records.length === 0) throw this.#versionAbsence(row, version, now);
    requireUnexpired(row, version, now);
    return found;
  }

  #versionAbsence(row: NameRow, version: number, now: number): Error {
    const absence = this.#names.versionAbsence(row, version, now);
    if (!suggestsVersions(absence, row, now)) return absence;
    const versions = this.#versionNumbers.all(row.id, listedVersionsMax).map((kept) => Number(kept.version));
    return suggesting(absence, row, versions);
  }

  newest(name: LiveName): TupleVersions {
    return this.#whole(recordsOf(this.#version.all(name.id, name.newest)));
  }

  /** A kept version, whether its name is live or not. */
  row(nameId: number, version: number): NewestRow | undefined {
    return this.#row.get(nameId, version) as NewestRow | undefined;
  }

  source(nameId: number, version: number): SourceRow | undefined {
    return this.#source.get(nameId, version) as SourceRow | undefined;
  }

  names(tenant: string, page: ListPage<boolean>, now: number): string[] {
    const range = rangeOf(page);
    if (range === null) return [];
    return this.#listNames.all(tenant, ...range, now, page.limit).map(({ name }) => String(name));
  }

  list(tenant: string, page: ListPage<boolean>, now: number): TupleVersions {
    const range = rangeOf(page);
    const rows = range === null ? [] : this.#list.all(tenant, ...range, now, page.limit);
    return this.#page(recordsOf(rows), page.schemas);
  }

  versions(tenant: string, name: string, page: VersionsPage<boolean>, now: number): TupleVersions {
    const row = this.#names.requireLive(tenant, name, now);
    const rows = this.#versions.all(row.id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit);
    return this.#page(recordsOf(rows), page.schemas);
  }

  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: ExpectedVersion | null,
  ): TupleVersions {
    const row = this.#names.requireLive(tenant, name, now);
    this.#names.checkNewest(row, ifVersion);
    this.#names.setExpiry(row.id, expiresAt);
    return this.#changed(row, 'expiry', [row.expires_at, expiresAt], now);
  }

  keepVersions(
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null,
  ): TupleVersions {
    const row = this.#names.requireLive(tenant, name, now);
    this.#names.checkNewest(row, ifVersion);
    this.#names.setVersionsKeep(row.id, versionsKeep);
    return this.#changed(row, 'versionsKeep', [row.versions_keep, versionsKeep], now);
  }

  /** The newest version, after a change of its name. */
  #changed(
    row: LiveName,
    change: 'expiry' | 'versionsKeep',
    values: readonly [number | null, number | null],
    now: number,
  ): TupleVersions {
    const found = this.newest(row);
    for (const event of settingEvents(change, values, found.records.map(rowOfTuple)))
      this.#events.add(event, now);
    return found;
  }

  #page(records: readonly RecordTuple[], schemas = false): TupleVersions {
    return schemas ? this.#whole(records) : { records, schemas: [] };
  }

  /** With their schemas, as many of them as fill a page. */
  #whole(page: readonly RecordTuple[]): TupleVersions {
    const records: RecordTuple[] = [];
    const schemas = new Map<string, WireSchema>();
    let bytes = 0;
    for (const record of page) {
      records.push(record);
      const hash = hashOf(record);
      if (schemas.has(hash)) continue;
      const schema = this.#schemas.read(hash);
      schemas.set(hash, schema);
      bytes += schema.message.byteLength + schema.columns.length;
      if (bytes >= pageSchemaBytesMax) break;
    }
    return { records, schemas: [...schemas.values()] };
  }
}

function recordsOf(rows: unknown[]): readonly RecordTuple[] {
  return rows as RecordTuple[];
}

function prepareRecords(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
