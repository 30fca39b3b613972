import type { Transaction } from '../../../postgres/database.ts';

interface OidRow {
  readonly lower: string;
  readonly oid: number;
}

/** The numbers of names and tenants in PostgreSQL's catalogs. A trigger of `names` takes a name's away when it ends. */
export class RelationOids {
  async relationOids(sql: Transaction, tenant: string, names: readonly string[]): Promise<(number | null)[]> {
    const found = await this.#find(sql, tenant, names);
    const missing = names.filter((name) => !found.has(name));
    if (missing.length > 0) {
      // In one order, so that two nodes that add the same names wait for each other and not in a circle.
      await sql.run(
        `INSERT INTO relation_oids (tenant, lower)
        SELECT $1, lower FROM (SELECT lower FROM names WHERE tenant = $1 AND lower = ANY($2) AND newest IS NOT NULL
          UNION ALL SELECT '' WHERE '' = ANY($2)) live ORDER BY lower
        ON CONFLICT (tenant, lower) DO NOTHING`,
        [tenant, missing],
      );
      for (const [lower, oid] of await this.#find(sql, tenant, missing)) found.set(lower, oid);
    }
    return names.map((name) => found.get(name) ?? null);
  }

  async #find(sql: Transaction, tenant: string, names: readonly string[]): Promise<Map<string, number>> {
    const rows = await sql.rows<OidRow>(
      'SELECT lower, oid FROM relation_oids WHERE tenant = $1 AND lower = ANY($2)',
      [tenant, names],
    );
    return new Map(rows.map(({ lower, oid }) => [lower, Number(oid)]));
  }
}
