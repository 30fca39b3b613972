import type { SharedPage } from '../../../ports/catalog/sharing.ts';
import type { ListPage, VersionsPage } from '../../../ports/catalog/versions.ts';
import type { Sql } from '../../../postgres/database.ts';
import { rangeOf } from '../../listing-range.ts';
import type { LiveName } from '../../name-rows.ts';
import type { RecordRow } from '../../record-rows.ts';
import type { FoundVersions, WireSchema } from '../../wire.ts';
import type { Names } from './names.ts';
import type { Schemas } from './schemas.ts';

const columnsWith = (query: string) => `
  n.tenant, n.name, v.version, n.frame_id, v.created_at, n.expires_at, v.rows, v.bytes, v.part_count,
  v.origin_kind, v.origin_format, s.hash, ${query} AS origin_query, v.restored_from, n.life, v.version_id, n.versions_keep`;
const columns = columnsWith('NULL');
/** Only for a single record: a page of long statements would be megabytes. */
export const columnsOfOne = columnsWith('v.origin_query');

const joined = 'JOIN versions v ON v.name_id = n.id JOIN schemas s ON s.id = v.schema_id';
const newestJoined = `JOIN versions v ON v.name_id = n.id AND v.version = n.newest JOIN schemas s ON s.id = v.schema_id`;

const livePage = `
  n.newest IS NOT NULL AND n.tenant = $1 AND n.lower > $2 AND n.lower >= $3 AND n.lower < $4
    AND (n.expires_at IS NULL OR n.expires_at > $5)
  ORDER BY n.lower LIMIT $6`;

/** A page of whole records ends with the one that fills this: a schema may have 16 MiB, and a page a thousand of them. */
const pageSchemaBytesMax = 4 * 1024 * 1024;

/** Version records: those of a name, or a page of names. */
export class Records {
  readonly #names: Names;
  readonly #schemas: Schemas;

  constructor(names: Names, schemas: Schemas) {
    this.#names = names;
    this.#schemas = schemas;
  }

  /** The newest version of a name, with its schema. */
  async newest(sql: Sql, name: LiveName): Promise<FoundVersions> {
    const rows = await sql.rows<RecordRow>(
      `SELECT ${columnsOfOne} FROM names n ${joined} WHERE n.id = $1 AND v.version = $2`,
      [name.id, name.newest],
    );
    return this.#whole(sql, rows);
  }

  async names(sql: Sql, tenant: string, page: ListPage<boolean>, now: number): Promise<string[]> {
    const range = rangeOf(page);
    if (range === null) return [];
    const rows = await sql.rows<{ name: string }>(`SELECT n.name FROM names n WHERE ${livePage}`, [
      tenant,
      ...range,
      now,
      page.limit,
    ]);
    return rows.map(({ name }) => name);
  }

  async list(sql: Sql, tenant: string, page: ListPage<boolean>, now: number): Promise<FoundVersions> {
    const range = rangeOf(page);
    if (range === null) return { records: [], schemas: [] };
    // The page is taken from the index of names before anything is joined to it.
    const rows = await sql.rows<RecordRow>(
      `WITH n AS MATERIALIZED (SELECT * FROM names n WHERE ${livePage})
       SELECT ${columns} FROM n ${newestJoined} ORDER BY n.lower`,
      [tenant, ...range, now, page.limit],
    );
    const found = await this.#page(sql, rows, page.schemas);
    // All of them have ended since they were read. An empty page would say that there are no more.
    return found.records.length === 0 && rows.length > 0 ? this.list(sql, tenant, page, now) : found;
  }

  async versions(
    sql: Sql,
    tenant: string,
    name: string,
    page: VersionsPage<boolean>,
    now: number,
  ): Promise<FoundVersions> {
    const row = await this.#names.requireLive(sql, tenant, name, now);
    const rows = await sql.rows<RecordRow>(
      `SELECT ${columns} FROM names n ${joined}
       WHERE n.id = $1 AND v.name_id = $1 AND v.version < $2 ORDER BY v.version DESC LIMIT $3`,
      [row.id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit],
    );
    const found = await this.#page(sql, rows, page.schemas);
    return found.records.length === 0 && rows.length > 0
      ? this.versions(sql, tenant, name, page, now)
      : found;
  }

  /** Names of others that this tenant may read, by their owners and names. */
  async shared(sql: Sql, reader: string, page: SharedPage<boolean>, now: number): Promise<FoundVersions> {
    const { after, limit, schemas } = page;
    const rows = await sql.rows<RecordRow>(
      `SELECT ${columns} FROM shares h JOIN names n ON n.id = h.name_id ${newestJoined}
       WHERE h.tenant = $1 AND (n.tenant, n.lower) > ($2, $3) AND (n.expires_at IS NULL OR n.expires_at > $4)
       ORDER BY n.tenant, n.lower LIMIT $5`,
      [reader, after?.tenant ?? '', after?.name.toLowerCase() ?? '', now, limit],
    );
    const found = await this.#page(sql, rows, schemas);
    return found.records.length === 0 && rows.length > 0 ? this.shared(sql, reader, page, now) : found;
  }

  async #page(sql: Sql, rows: readonly RecordRow[], schemas = false): Promise<FoundVersions> {
    return schemas ? this.#whole(sql, rows) : { records: rows, schemas: [] };
  }

  /** With their schemas, as many of them as fill a page. */
  async #whole(sql: Sql, page: readonly RecordRow[]): Promise<FoundVersions> {
    const hashes = new Set(page.map(({ hash }) => hash));
    const sizes = await this.#schemas.sizes(sql, [...hashes]);
    const records: RecordRow[] = [];
    const wanted = new Set<string>();
    let bytes = 0;
    for (const record of page) {
      const { hash } = record;
      const size = sizes.get(hash);
      // Its version has ended since the page was read.
      if (size === undefined) continue;
      records.push(record);
      if (wanted.has(hash)) continue;
      wanted.add(hash);
      bytes += size;
      if (bytes >= pageSchemaBytesMax) break;
    }
    const schemas: readonly WireSchema[] = await this.#schemas.readAll(sql, [...wanted]);
    const found = new Set(schemas.map(({ hash }) => hash));
    return { records: records.filter((record) => found.has(record.hash)), schemas };
  }
}
