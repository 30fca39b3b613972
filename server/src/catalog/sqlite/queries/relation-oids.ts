import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Its methods that are operations of the catalog. */
export const relationOidOperations = {
  reads: [],
  writes: ['relationOids'],
} as const;

/** The numbers of names and tenants in PostgreSQL's catalogs. A trigger of `names` takes a name's away when it ends. */
export class RelationOids {
  readonly #find: StatementSync;
  readonly #addName: StatementSync;
  readonly #addTenant: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT oid FROM relation_oids WHERE tenant = ? AND lower = ?');
    this.#addName = db.prepare(`
      INSERT INTO relation_oids (tenant, lower) SELECT tenant, lower FROM names WHERE tenant = ? AND lower = ? AND newest IS NOT NULL
      RETURNING oid`);
    this.#addTenant = db.prepare('INSERT INTO relation_oids (tenant, lower) VALUES (?, ?) RETURNING oid');
  }

  relationOids(tenant: string, names: readonly string[]): (number | null)[] {
    return names.map((name) => {
      const add = name === '' ? this.#addTenant : this.#addName;
      const row = this.#find.get(tenant, name) ?? add.get(tenant, name);
      return row === undefined ? null : Number(row.oid);
    });
  }
}
