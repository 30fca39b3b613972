import type { Sql, Transaction } from '../../../postgres/database.ts';

/** Statistics of versions; those of a dropped name come back with it. */
export class Statistics {
  async statistics(sql: Sql, tenant: string, name: string, version: number): Promise<Uint8Array | null> {
    const row = await sql.first<{ body: Uint8Array }>(
      `SELECT s.body FROM names n JOIN statistics s ON s.name_id = n.id
       WHERE n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND s.version = $4`,
      [tenant, name.toLowerCase(), name, version],
    );
    return row ? new Uint8Array(row.body) : null;
  }

  /** Under the lock of the name: else the version could end meanwhile, and what is kept here would stay. */
  async keepStatistics(
    sql: Transaction,
    tenant: string,
    name: string,
    version: number,
    body: Uint8Array,
    versionId: string | null = null,
  ): Promise<void> {
    sql.send('SELECT 1 FROM names WHERE tenant = $1 AND lower = $2 FOR NO KEY UPDATE', [
      tenant,
      name.toLowerCase(),
    ]);
    await sql.run(
      `INSERT INTO statistics (name_id, version, body)
       SELECT v.name_id, v.version, $5 FROM names n JOIN versions v ON v.name_id = n.id
       WHERE n.tenant = $1 AND n.lower = $2 AND n.name = $3 AND v.version = $4
         AND v.version_id = coalesce($6, v.version_id)
       ON CONFLICT (name_id, version) DO UPDATE SET body = excluded.body`,
      [tenant, name.toLowerCase(), name, version, Buffer.from(body), versionId],
    );
  }

  /** After versions of a name have gone. */
  end(sql: Transaction, nameId: number): void {
    sql.send(
      `DELETE FROM statistics WHERE name_id = $1
         AND version NOT IN (SELECT version FROM kept_versions WHERE name_id = $1)`,
      [nameId],
    );
  }
}
