/** The types that DuckDB stores values of PostgreSQL's types in. OIDs are the only unsigned numbers of 32 bits, so that results with them need no other mark. */
const stored: Readonly<Record<string, string>> = {
  bool: 'BOOLEAN',
  bytea: 'BLOB',
  int2: 'SMALLINT',
  int4: 'INTEGER',
  int8: 'BIGINT',
  float4: 'FLOAT',
  float8: 'DOUBLE',
  interval: 'INTERVAL',
  timestamptz: 'TIMESTAMPTZ',
  time_stamp: 'TIMESTAMPTZ',
  cardinal_number: 'INTEGER',
  int2vector: 'SMALLINT[]',
  oidvector: 'UINTEGER[]',
  oid: 'UINTEGER',
  xid: 'UINTEGER',
  cid: 'UINTEGER',
};

/** `type` as pg_type calls it. */
export function storedType(type: string): string {
  if (type.startsWith('_')) return `${storedType(type.slice(1))}[]`;
  if (type.startsWith('reg')) return 'UINTEGER';
  return stored[type] ?? 'VARCHAR';
}

/** Types that statements can name, as `pg__NAME`. */
export const namedTypes: readonly string[] = [
  ...['aclitem', 'char', 'cid', 'int2vector', 'name', 'oid', 'oidvector', 'pg_node_tree', 'varchar', 'xid'],
  ...[
    'regclass',
    'regcollation',
    'regconfig',
    'regdictionary',
    'regnamespace',
    'regoper',
    'regoperator',
    'regproc',
    'regprocedure',
    'regrole',
    'regtype',
  ],
];
