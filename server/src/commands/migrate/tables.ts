/** What the columns hold, in SQLite and in PostgreSQL. */
export type ColumnKind = 'integer' | 'text' | 'bytes';

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** By which rows are read: the primary key, except where rows get new numbers. */
  readonly order: string;
  /** Rows that are copied; all of them if it is missing. */
  readonly where?: string;
}

const integer = 'integer';
const text = 'text';
const bytes = 'bytes';

const versionColumns = {
  name_id: integer,
  version: integer,
  log: integer,
  part_count: integer,
  rows: integer,
  bytes: integer,
  schema_id: integer,
  created_at: integer,
  origin_kind: text,
  origin_format: text,
  origin_query: text,
  restored_from: integer,
  version_id: text,
} as const;

/**
 * The tables of a catalog that both databases have with the same columns, those that others refer to first. What follows from these (the totals of tenants)
 * is not copied, nor what belongs to running servers (claims), nor garbage: its objects stay where they are.
 */
export const catalogTables: readonly Table[] = [
  {
    name: 'names',
    columns: {
      id: integer,
      tenant: text,
      lower: text,
      name: text,
      frame_id: text,
      next_version: integer,
      newest: integer,
      kept: integer,
      expires_at: integer,
      ended_reason: text,
      ended_at: integer,
      oldest_at: integer,
      life: integer,
      versions_keep: integer,
      pinned: integer,
      pinned_bytes: integer,
      pins_until: integer,
    },
    order: 'id',
  },
  { name: 'schemas', columns: { id: integer, hash: text, message: bytes, columns: text }, order: 'id' },
  // Before the versions: what a trigger would add with these is there already.
  {
    name: 'positions',
    columns: { name_id: integer, version: integer, version_id: text, rows: integer },
    order: 'name_id, version',
  },
  {
    name: 'version_runs',
    columns: { name_id: integer, first: integer, base: integer },
    order: 'name_id, first',
  },
  { name: 'versions', columns: versionColumns, order: 'name_id, version' },
  {
    name: 'parts',
    columns: {
      id: integer,
      part_id: text,
      name_id: integer,
      log: integer,
      seq: integer,
      first_row: integer,
      rows: integer,
      arrow_bytes: integer,
      parquet_exact: integer,
      refusal: text,
      size: integer,
      added_at: integer,
      merge_refusal: text,
      parquet_level: integer,
      arrow_level: integer,
    },
    order: 'id',
  },
  {
    name: 'objects',
    columns: { part: integer, kind: text, seq: integer, key: text, bytes: integer, sha256: text },
    order: 'part, kind, seq',
  },
  {
    name: 'logs',
    columns: { name_id: integer, log: integer, base_log: integer, base_count: integer },
    order: 'name_id, log',
  },
  { name: 'merges_due', columns: { id: integer, name_id: integer, log: integer }, order: 'id' },
  {
    name: 'tombstones',
    columns: { name_id: integer, first: integer, last: integer, reason: text, ended_at: integer },
    order: 'name_id, last',
  },
  {
    name: 'idempotency',
    columns: {
      tenant: text,
      key: text,
      fingerprint: text,
      used_at: integer,
      answer: text,
      schema_id: integer,
    },
    order: 'tenant, key',
    where: 'schema_id IS NOT NULL',
  },
  { name: 'attempts', columns: { id: text, made_at: integer, answer: text }, order: 'id' },
  { name: 'shares', columns: { name_id: integer, tenant: text }, order: 'name_id, tenant' },
  {
    name: 'dropped',
    columns: {
      id: integer,
      name_id: integer,
      name: text,
      expires_at: integer,
      until: integer,
      versions_keep: integer,
      notes: text,
    },
    order: 'id',
  },
  {
    name: 'dropped_versions',
    columns: { ...versionColumns, dropped_id: integer },
    order: 'name_id, version',
  },
  {
    name: 'events',
    columns: { tenant: text, seq: integer, at: integer, kind: text, data: text, mark: integer },
    order: 'tenant, seq',
  },
  {
    name: 'links',
    columns: {
      id: text,
      tenant: text,
      name_id: integer,
      version: integer,
      life: integer,
      created_at: integer,
      created_by: text,
      expires_at: integer,
      revoked_at: integer,
    },
    order: 'id',
  },
  {
    name: 'notes',
    columns: {
      name_id: integer,
      tenant: text,
      body: text,
      words: text,
      bytes: integer,
      set_at: integer,
      set_by: text,
    },
    order: 'name_id',
  },
  {
    name: 'tags',
    columns: { name_id: integer, tag: text, version: integer, set_at: integer, set_by: text },
    order: 'name_id, tag',
  },
  {
    name: 'statistics',
    columns: { name_id: integer, version: integer, body: bytes },
    order: 'name_id, version',
  },
  {
    name: 'saved_queries',
    columns: { tenant: text, name: text, sql: text, saved_at: integer, saved_by: text },
    order: 'tenant, name',
  },
  {
    name: 'relation_oids',
    columns: { tenant: text, lower: text, oid: integer },
    order: 'oid',
  },
  {
    name: 'damaged',
    columns: { key: text, fault: text, found_at: integer },
    order: 'key',
  },
  {
    name: 'removed_objects',
    columns: { key: text, fault: text, frames: text, found_at: integer },
    order: 'key',
  },
];

/** Numbered by each database in its own way: SQLite for all callers together, PostgreSQL for each. Only the order of a caller counts. */
export const historyTable: Table = {
  name: 'history',
  columns: {
    id: integer,
    tenant: text,
    caller: text,
    query_id: text,
    sql: text,
    state: text,
    error: text,
    rows: integer,
    started_at: integer,
    duration_ms: integer,
    engine: text,
  },
  order: 'id, tenant, caller',
};

/** Of the file of credentials, and of the same database in PostgreSQL. */
export const accessTables: readonly Table[] = [
  {
    name: 'credentials',
    columns: {
      id: text,
      kind: text,
      secret_hash: bytes,
      subject: text,
      tenant: text,
      name: text,
      scopes: text,
      created_at: integer,
      expires_at: integer,
      revoked_at: integer,
    },
    order: 'id',
  },
  {
    name: 'tenant_limits',
    columns: { tenant: text, name: text, value: integer },
    order: 'tenant, name',
  },
];

export function columnNames({ columns }: Table): readonly string[] {
  return Object.keys(columns);
}

/** The statement that reads it in order; PostgreSQL and SQLite both take it. */
export function selectAll(table: Table): string {
  const where = table.where === undefined ? '' : ` WHERE ${table.where}`;
  return `SELECT ${columnNames(table).join(', ')} FROM ${table.name}${where} ORDER BY ${table.order}`;
}
