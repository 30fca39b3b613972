import { type FileLayout, fileKeptMs } from '../../../ports/catalog/files.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { type FileLayoutRow, type FileObjectRow, layoutOfRows, ownKeys, partKeys } from '../../file-rows.ts';

interface LayoutRow extends FileLayoutRow {
  readonly name_id: number;
}

/** Versions that are served as one file. */
export class FileLayouts {
  async fileLayout(sql: Sql, tenant: string, name: string, version: number): Promise<FileLayout | null> {
    const row = await sql.first<LayoutRow>(
      `SELECT l.name_id, l.etag, l.bytes, l.pieces FROM names n JOIN file_layouts l ON l.name_id = n.id
      WHERE n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND l.version = $4`,
      [tenant, name.toLowerCase(), name, version],
    );
    if (row === undefined) return null;
    const objects = await sql.rows<FileObjectRow>(
      `SELECT key, bytes, sha256, own FROM file_objects
      WHERE name_id = $1 AND version = $2 ORDER BY seq`,
      [row.name_id, version],
    );
    return layoutOfRows(row, objects);
  }

  /** Under the lock of the name: else the version could end meanwhile, and two nodes could record two layouts. */
  async keepFileLayout(
    sql: Transaction,
    tenant: string,
    name: string,
    version: number,
    layout: FileLayout,
    now: number,
  ): Promise<FileLayout | null> {
    const locked = await sql.first<{ id: number }>(
      'SELECT id FROM names WHERE tenant = $1 AND lower = $2 AND name = $3 FOR NO KEY UPDATE',
      [tenant, name.toLowerCase(), name],
    );
    const known = await this.fileLayout(sql, tenant, name, version);
    if (known?.etag === layout.etag) return known;
    const isCurrent = locked !== undefined && (await isStored(sql, locked.id, version, partKeys(layout)));
    if (known !== null || !isCurrent) {
      discard(sql, ownKeys(layout));
      return known;
    }
    sql.send('INSERT INTO file_layouts VALUES ($1, $2, $3, $4, $5, $6)', [
      locked.id,
      version,
      layout.etag,
      layout.bytes,
      now,
      Buffer.from(layout.pieces),
    ]);
    const { objects } = layout;
    await sql.run(
      `INSERT INTO file_objects
      SELECT $1, $2, o.seq - 1, o.key, o.bytes, o.sha256, o.own
      FROM unnest($3::text[], $4::bigint[], $5::text[], $6::boolean[])
        WITH ORDINALITY AS o (key, bytes, sha256, own, seq)`,
      [
        locked.id,
        version,
        objects.map(({ key }) => key),
        objects.map(({ bytes }) => bytes),
        objects.map(({ sha256 }) => sha256),
        objects.map(({ isOwn }) => isOwn),
      ],
    );
    return layout;
  }

  async useFileLayout(
    sql: Transaction,
    tenant: string,
    name: string,
    version: number,
    etag: string,
    now: number,
  ): Promise<boolean> {
    const used = await sql.run(
      `UPDATE file_layouts l SET used_at = greatest(l.used_at, $5) FROM names n
      WHERE n.id = l.name_id AND n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND l.version = $4 AND l.etag = $6`,
      [tenant, name.toLowerCase(), name, version, now, etag],
    );
    return used > 0;
  }

  async endFileLayout(
    sql: Transaction,
    tenant: string,
    name: string,
    version: number,
    etag: string,
  ): Promise<void> {
    await endWhere(
      sql,
      `version = $4 AND etag = $5 AND name_id =
        (SELECT id FROM names WHERE tenant = $1 AND lower = $2 AND name = $3)`,
      [tenant, name.toLowerCase(), name, version, etag],
    );
  }

  /** After versions of a name have gone, or the name was dropped. */
  async end(sql: Transaction, nameId: number): Promise<void> {
    await endWhere(sql, 'name_id = $1 AND version NOT IN (SELECT version FROM versions WHERE name_id = $1)', [
      nameId,
    ]);
  }

  /** Up to so many that were not used for long; returns how many. */
  endUnused(sql: Transaction, now: number, limit: number): Promise<number> {
    return endWhere(
      sql,
      `ctid = ANY (ARRAY(
        SELECT ctid FROM file_layouts WHERE used_at <= $1 ORDER BY used_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now - fileKeptMs, limit],
    );
  }
}

async function isStored(
  sql: Sql,
  nameId: number,
  version: number,
  keys: readonly string[],
): Promise<boolean> {
  const row = await sql.first<{ kept: boolean; stored: number }>(
    `SELECT EXISTS (SELECT 1 FROM versions WHERE name_id = $1 AND version = $2) AS kept,
      (SELECT count(*) FROM objects WHERE key = ANY ($3::text[])) AS stored`,
    [nameId, version, keys],
  );
  return row?.kept === true && row.stored === keys.length;
}

function discard(sql: Transaction, keys: readonly string[]): void {
  sql.send('INSERT INTO garbage (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [keys]);
}

/** Own objects become garbage. Objects that parts have given up get a new time from the next collector, as if they had become garbage now. */
async function endWhere(sql: Transaction, condition: string, values: readonly unknown[]): Promise<number> {
  const layouts = await sql.rows<{ name_id: number; version: number }>(
    `SELECT name_id, version FROM file_layouts WHERE ${condition} FOR UPDATE`,
    values,
  );
  if (layouts.length === 0) return 0;
  const names = layouts.map((layout) => layout.name_id);
  const versions = layouts.map((layout) => layout.version);
  const objects = await sql.rows<{ key: string; own: boolean }>(
    `SELECT DISTINCT o.key, o.own FROM file_objects o
    JOIN unnest($1::bigint[], $2::bigint[]) AS l (name_id, version) USING (name_id, version)`,
    [names, versions],
  );
  const keys = (own: boolean) => objects.filter((object) => object.own === own).map(({ key }) => key);
  discard(sql, keys(true));
  // In the order of the keys, as all who wait for several of these rows.
  sql.send(
    `WITH mine AS MATERIALIZED (SELECT key FROM garbage WHERE key = ANY ($1::text[]) ORDER BY key FOR UPDATE)
    UPDATE garbage g SET not_before = NULL FROM mine WHERE g.key = mine.key`,
    [keys(false)],
  );
  return sql.run(
    `DELETE FROM file_layouts l USING unnest($1::bigint[], $2::bigint[]) AS ended (name_id, version)
    WHERE l.name_id = ended.name_id AND l.version = ended.version`,
    [names, versions],
  );
}
