import { type GroupNode, isGroup, isKeyword, isMark, isName, type SqlNode } from './nodes.ts';

/** A type where a statement names one: behind `::`, or in CAST. */
export interface WrittenType {
  /** As pg_type calls it. */
  readonly name: string;
  readonly isArray: boolean;
  /** Its digits or its length. */
  readonly modifier: GroupNode | null;
  /** The node behind it. */
  readonly end: number;
}

/** Names of SQL's standard, with what pg_type calls them. */
const standardNames: Readonly<Record<string, string>> = {
  bigint: 'int8',
  boolean: 'bool',
  char: 'bpchar',
  character: 'bpchar',
  dec: 'numeric',
  decimal: 'numeric',
  double: 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  real: 'float4',
  smallint: 'int2',
};

/** Words that can follow the first one of a type. */
const furtherWords: Readonly<Record<string, readonly string[]>> = {
  double: ['precision'],
  character: ['varying'],
  char: ['varying'],
  bit: ['varying'],
};

/** null if there is no name of a type at this place. */
export function readType(nodes: readonly SqlNode[], start: number): WrittenType | null {
  let at = start;
  while (isName(nodes[at]) && isMark(nodes[at + 1], '.')) at += 2;
  const first = nodes[at];
  if (!isName(first)) return null;
  at += 1;
  let name = first.kind === 'word' ? (standardNames[first.name] ?? first.name) : first.name;
  if (first.kind === 'word' && isKeyword(nodes[at], ...(furtherWords[first.name] ?? []))) {
    if (name === 'bpchar') name = 'varchar';
    if (name === 'bit') name = 'varbit';
    at += 1;
  }
  const next = nodes[at];
  const modifier = isGroup(next, '(') ? next : null;
  if (modifier !== null) at += 1;
  if (
    (name === 'timestamp' || name === 'time') &&
    isKeyword(nodes[at], 'with', 'without') &&
    isKeyword(nodes[at + 1], 'time')
  ) {
    if (isKeyword(nodes[at], 'with')) name = `${name}tz`;
    at += 3;
  }
  let isArray = false;
  for (; isGroup(nodes[at], '['); at++) isArray = true;
  return { name, isArray, modifier, end: at };
}

/** PostgreSQL's types that DuckDB has not, or knows as others: the catalog's instance has these types. */
const ownTypes: ReadonlySet<string> = new Set([
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
]);

const duckdbNames: Readonly<Record<string, string>> = {
  text: 'VARCHAR',
  bpchar: 'VARCHAR',
  bytea: 'BLOB',
  jsonb: 'JSON',
  anyarray: 'VARCHAR',
  cstring: 'VARCHAR',
  unknown: 'VARCHAR',
  sql_identifier: 'pg__name',
  character_data: 'VARCHAR',
  yes_or_no: 'VARCHAR',
  cardinal_number: 'INTEGER',
  time_stamp: 'TIMESTAMPTZ',
};

export function duckdbType(name: string): string {
  return ownTypes.has(name) ? `pg__${name}` : (duckdbNames[name] ?? `"${name.replaceAll('"', '""')}"`);
}

/** Types whose values are OIDs, and which are written and read as names. */
export const objectTypes: ReadonlySet<string> = new Set(
  [...ownTypes].filter((name) => name.startsWith('reg')),
);

export function isObjectType(name: string): boolean {
  return objectTypes.has(name);
}
