/** Numbers by which PostgreSQL's catalogs name frames and tenants. */
export interface RelationOidCatalog {
  /**
   * The OID of each live name, given in lower case, and of the tenant itself for the empty name; null for a name that is not live. One that has none yet gets it now, and keeps
   * it until it ends: a name that comes back gets another one. From 16384 to 2147483647, of all tenants and nodes together, and never given twice. Safe to repeat.
   */
  relationOids(tenant: string, names: readonly string[]): Promise<readonly (number | null)[]>;
}
