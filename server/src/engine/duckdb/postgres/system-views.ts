import { relations, systemRelation } from '../../../model/postgres/relations.ts';
import { schemaOids, systemOwner } from './base-tables.ts';
import { storedType } from './column-types.ts';

/** Where rows of a relation come from, and its columns that are not null. */
interface ViewSource {
  readonly from: string;
  readonly columns: Readonly<Record<string, string>>;
}

/** Columns of a few rows that are the same in every PostgreSQL. */
const values = (names: string, ...rows: readonly string[]) =>
  `(VALUES ${rows.map((row) => `(${row})`).join(', ')}) v(${names})`;

const same = (names: string, qualifier = '') =>
  Object.fromEntries(names.split(' ').map((name) => [name, `${qualifier}${name}`]));

const no = (names: string, value = 'false') =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

const namespaces = `(SELECT * FROM ${values(
  'oid, nspname, nspowner',
  `${schemaOids.pg_catalog}, 'pg_catalog', ${systemOwner}`,
  `${schemaOids.pg_toast}, 'pg_toast', ${systemOwner}`,
  `${schemaOids.information_schema}, 'information_schema', ${systemOwner}`,
)} UNION ALL SELECT namespace, schema, oid FROM pg__owner) n`;

/** The system's owner, each tenant whose frames there are, and the user of the session if that is none of them. */
const roles = `(SELECT ${systemOwner}::UINTEGER AS oid, 'framehold' AS rolname UNION ALL SELECT oid, name FROM pg__owner WHERE name <> 'framehold'
  UNION ALL SELECT 16383, getvariable('pg__user') WHERE getvariable('pg__user') <> 'framehold' AND getvariable('pg__user') NOT IN (SELECT name FROM pg__owner)) r`;

const relationColumns = {
  relation: `pg__relation r JOIN pg_namespace n ON n.oid = r.namespace`,
  owner: `pg__pg_get_userbyid(r.owner)`,
};
const database = `getvariable('pg__database')`;

const pgCatalog: Readonly<Record<string, ViewSource>> = {
  pg_namespace: { from: namespaces, columns: same('oid nspname nspowner') },
  pg_roles: {
    from: roles,
    columns: {
      ...same('oid rolname'),
      ...no('rolsuper rolcreaterole rolcreatedb rolreplication rolbypassrls'),
      ...no('rolinherit rolcanlogin', 'true'),
      rolconnlimit: '-1',
      rolpassword: `'********'`,
    },
  },
  pg_authid: {
    from: roles,
    columns: {
      ...same('oid rolname'),
      ...no('rolsuper rolcreaterole rolcreatedb rolreplication rolbypassrls'),
      ...no('rolinherit rolcanlogin', 'true'),
      rolconnlimit: '-1',
    },
  },
  pg_user: {
    from: roles,
    columns: {
      usename: 'rolname',
      usesysid: 'oid',
      ...no('usecreatedb usesuper userepl usebypassrls'),
      passwd: `'********'`,
    },
  },
  pg_database: {
    from: '(SELECT 1) v',
    columns: {
      oid: '5',
      datname: database,
      datdba: String(systemOwner),
      encoding: '6',
      datlocprovider: `'c'`,
      datistemplate: 'false',
      datallowconn: 'true',
      datconnlimit: '-1',
      datfrozenxid: '0',
      datminmxid: '0',
      dattablespace: '1663',
      datcollate: `'C.UTF-8'`,
      datctype: `'C.UTF-8'`,
    },
  },
  pg_tablespace: {
    from: values('oid, spcname', `1663, 'pg_default'`, `1664, 'pg_global'`),
    columns: { ...same('oid spcname'), spcowner: String(systemOwner) },
  },
  pg_am: {
    from: values(
      'oid, amname, amhandler, amtype',
      `2, 'heap', 3, 't'`,
      `403, 'btree', 330, 'i'`,
      `405, 'hash', 331, 'i'`,
      `783, 'gist', 332, 'i'`,
      `2742, 'gin', 333, 'i'`,
      `4000, 'spgist', 334, 'i'`,
      `3580, 'brin', 335, 'i'`,
    ),
    columns: same('oid amname amhandler amtype'),
  },
  pg_language: {
    from: values('oid, lanname, lanpltrusted', `12, 'internal', false`, `13, 'c', false`, `14, 'sql', true`),
    columns: {
      ...same('oid lanname lanpltrusted'),
      lanowner: String(systemOwner),
      lanispl: 'false',
      ...no('lanplcallfoid laninline lanvalidator', '0'),
    },
  },
  pg_collation: {
    from: values(
      'oid, collname, collprovider, collencoding, locale',
      `100, 'default', 'd', -1, NULL`,
      `950, 'C', 'c', -1, 'C'`,
      `951, 'POSIX', 'c', -1, 'POSIX'`,
      `12340, 'ucs_basic', 'c', 6, 'C'`,
    ),
    columns: {
      ...same('oid collname collprovider collencoding'),
      collnamespace: String(schemaOids.pg_catalog),
      collowner: String(systemOwner),
      collisdeterministic: 'true',
      collcollate: 'locale',
      collctype: 'locale',
    },
  },
  pg_range: {
    from: values(
      'rngtypid, rngsubtype, rngmultitypid, rngsubopc, rngcanonical, rngsubdiff',
      '3904, 23, 4451, 1978, 3914, 3922',
      '3906, 1700, 4532, 3125, 0, 3924',
      '3908, 1114, 4533, 3128, 0, 3929',
      '3910, 1184, 4534, 3127, 0, 3930',
      '3912, 1082, 4535, 3122, 3915, 3925',
      '3926, 20, 4536, 3124, 3928, 3923',
    ),
    columns: {
      ...same('rngtypid rngsubtype rngmultitypid rngsubopc rngcanonical rngsubdiff'),
      rngcollation: '0',
    },
  },
  pg_description: {
    from: `(FROM ${values(
      'objoid, classoid, objsubid, description',
      `${schemaOids.pg_catalog}, 2615, 0, 'system catalog schema'`,
      `${schemaOids.pg_toast}, 2615, 0, 'reserved schema for TOAST tables'`,
      `${schemaOids.public}, 2615, 0, 'standard public schema'`,
    )} UNION ALL SELECT relation, 1259, num, text FROM pg__comment) d`,
    columns: same('objoid classoid objsubid description'),
  },
  pg_settings: {
    from: `(SELECT unnest(getvariable('pg__settings'), max_depth := 2)) s`,
    columns: {
      ...same('name setting'),
      category: `'Client Connection Defaults'`,
      short_desc: `''`,
      context: `'user'`,
      vartype: `'string'`,
      source: `'default'`,
      boot_val: 'setting',
      reset_val: 'setting',
      pending_restart: 'false',
    },
  },
  pg_class: {
    from: 'pg__relation r',
    columns: {
      oid: 'oid',
      relname: 'name',
      relnamespace: 'namespace',
      reltype: 'row_type',
      relowner: 'owner',
      relam: `CASE kind WHEN 'r' THEN 2 ELSE 0 END`,
      ...no(
        'reloftype relfilenode reltablespace relpages relallvisible reltoastrelid relchecks relrewrite relfrozenxid relminmxid',
        '0',
      ),
      reltuples: '-1',
      ...no(
        'relhasindex relisshared relhastriggers relhassubclass relrowsecurity relforcerowsecurity relispartition',
      ),
      relhasrules: `kind = 'v'`,
      relpersistence: `'p'`,
      relkind: 'kind',
      relnatts: '"columns"',
      relispopulated: 'true',
      relreplident: `CASE WHEN kind = 'v' OR oid < 16384 THEN 'n' ELSE 'd' END`,
    },
  },
  pg_attribute: {
    from: 'pg__relation r JOIN pg__column c ON c.shape = r.shape JOIN pg__type t ON t.oid = c.type',
    columns: {
      attrelid: 'r.oid',
      attname: 'c.name',
      atttypid: 'c.type',
      attstattarget: '-1',
      attlen: 't.len',
      attnum: 'c.num',
      attndims: 'c.dims',
      attcacheoff: '-1',
      atttypmod: 'c.modifier',
      attbyval: 't.is_by_value',
      attalign: 't.align',
      attstorage: 't.storage',
      ...no('attcompression attidentity attgenerated', `''`),
      attnotnull: `c.is_not_null AND r.kind = 'r'`,
      ...no('atthasdef atthasmissing attisdropped'),
      attislocal: 'true',
      attinhcount: '0',
      attcollation: `CASE WHEN r.oid < 16384 AND t."collation" = 100 THEN 950 ELSE t."collation" END`,
    },
  },
  pg_type: {
    from: 'pg__type t',
    columns: {
      oid: 'oid',
      typname: 'name',
      typnamespace: 'namespace',
      typowner: String(systemOwner),
      typlen: 'len',
      typbyval: 'is_by_value',
      typtype: 'type',
      typcategory: 'category',
      typispreferred: 'is_preferred',
      typisdefined: 'true',
      typdelim: 'delimiter',
      typrelid: 'relation',
      typsubscript: 'subscript',
      typelem: 'element',
      typarray: 'array_type',
      typinput: 'input',
      typoutput: 'output',
      typreceive: 'receive',
      typsend: 'send',
      typmodin: 'modifier_in',
      typmodout: 'modifier_out',
      typanalyze: '"analyze"',
      typalign: 'align',
      typstorage: 'storage',
      typnotnull: 'is_not_null',
      typbasetype: 'base_type',
      typtypmod: 'modifier',
      typndims: 'dims',
      typcollation: '"collation"',
    },
  },
  pg_proc: {
    from: 'pg__function f',
    columns: {
      oid: 'oid',
      proname: 'name',
      pronamespace: String(schemaOids.pg_catalog),
      proowner: String(systemOwner),
      prolang: '12',
      procost: '1',
      ...no('prorows provariadic prosupport pronargdefaults', '0'),
      prokind: `'f'`,
      ...no('prosecdef proleakproof proretset'),
      proisstrict: 'true',
      provolatile: `'i'`,
      proparallel: `'s'`,
      pronargs: 'len(arguments)',
      prorettype: 'result',
      proargtypes: 'arguments',
      prosrc: 'name',
    },
  },
  pg_tables: {
    from: `${relationColumns.relation} WHERE r.kind IN ('r', 'p')`,
    columns: {
      schemaname: 'n.nspname',
      tablename: 'r.name',
      tableowner: relationColumns.owner,
      ...no('hasindexes hasrules hastriggers rowsecurity'),
    },
  },
  pg_views: {
    from: `${relationColumns.relation} WHERE r.kind = 'v'`,
    columns: { schemaname: 'n.nspname', viewname: 'r.name', viewowner: relationColumns.owner },
  },
  pg_stat_user_tables: statistics(`r.kind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`),
  pg_stat_all_tables: statistics(`r.kind = 'r'`),
  pg_stat_sys_tables: statistics(`r.kind = 'r' AND n.nspname IN ('pg_catalog', 'information_schema')`),
};

function statistics(condition: string): ViewSource {
  return {
    from: `${relationColumns.relation} WHERE ${condition}`,
    columns: {
      relid: 'r.oid',
      schemaname: 'n.nspname',
      relname: 'r.name',
      ...no('seq_scan seq_tup_read n_live_tup n_dead_tup', '0'),
    },
  };
}

const yesOrNo = (condition: string) => `CASE WHEN ${condition} THEN 'YES' ELSE 'NO' END`;

const informationSchema: Readonly<Record<string, ViewSource>> = {
  information_schema_catalog_name: { from: '(SELECT 1) v', columns: { catalog_name: database } },
  schemata: {
    from: 'pg_namespace n',
    columns: {
      catalog_name: database,
      schema_name: 'n.nspname',
      schema_owner: 'pg__pg_get_userbyid(n.nspowner)',
    },
  },
  tables: {
    from: relationColumns.relation,
    columns: {
      table_catalog: database,
      table_schema: 'n.nspname',
      table_name: 'r.name',
      table_type: `CASE r.kind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END`,
      is_insertable_into: `'NO'`,
      is_typed: `'NO'`,
    },
  },
  views: {
    from: `${relationColumns.relation} WHERE r.kind = 'v'`,
    columns: {
      table_catalog: database,
      table_schema: 'n.nspname',
      table_name: 'r.name',
      check_option: `'NONE'`,
      ...no(
        'is_updatable is_insertable_into is_trigger_updatable is_trigger_deletable is_trigger_insertable_into',
        `'NO'`,
      ),
    },
  },
  columns: {
    from: `${relationColumns.relation} JOIN pg__column c ON c.shape = r.shape JOIN pg__type t ON t.oid = c.type LEFT JOIN pg__type b ON b.oid = t.base_type AND t.type = 'd'`,
    columns: {
      table_catalog: database,
      table_schema: 'n.nspname',
      table_name: 'r.name',
      column_name: 'c.name',
      ordinal_position: 'c.num',
      is_nullable: yesOrNo(`NOT (c.is_not_null AND r.kind = 'r')`),
      data_type: `CASE WHEN coalesce(b.category, t.category) = 'A' AND coalesce(b.subscript, t.subscript) = 6179 THEN 'ARRAY' ELSE coalesce(pg__type_text(coalesce(b.base, t.base), NULL), coalesce(b.shown, t.shown)) END`,
      character_octet_length: `CASE WHEN coalesce(b.name, t.name) IN ('varchar', 'text', 'bpchar') THEN 1073741824 END`,
      character_maximum_length: `CASE WHEN t.type = 'd' AND t.modifier > 4 THEN t.modifier - 4 END`,
      numeric_precision: `CASE coalesce(b.name, t.name) WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64 WHEN 'float4' THEN 24 WHEN 'float8' THEN 53 WHEN 'numeric' THEN CASE WHEN c.modifier >= 4 THEN ((c.modifier - 4) >> 16) & 65535 END END`,
      numeric_precision_radix: `CASE WHEN coalesce(b.name, t.name) IN ('int2', 'int4', 'int8', 'float4', 'float8') THEN 2 WHEN t.name = 'numeric' THEN 10 END`,
      numeric_scale: `CASE WHEN coalesce(b.name, t.name) IN ('int2', 'int4', 'int8') THEN 0 WHEN t.name = 'numeric' AND c.modifier >= 4 THEN (c.modifier - 4) & 2047 END`,
      datetime_precision: `CASE WHEN coalesce(b.name, t.name) IN ('time', 'timetz', 'timestamp', 'timestamptz', 'interval') THEN 6 WHEN t.name = 'date' THEN 0 END`,
      domain_catalog: `CASE WHEN t.type = 'd' THEN ${database} END`,
      domain_schema: `CASE WHEN t.type = 'd' THEN 'information_schema' END`,
      domain_name: `CASE WHEN t.type = 'd' THEN t.name END`,
      udt_catalog: database,
      udt_schema: `'pg_catalog'`,
      udt_name: 'coalesce(b.name, t.name)',
      dtd_identifier: 'c.num::VARCHAR',
      is_self_referencing: `'NO'`,
      is_identity: `'NO'`,
      identity_cycle: `'NO'`,
      is_generated: `'NEVER'`,
      is_updatable: `'NO'`,
    },
  },
  character_sets: {
    from: '(SELECT 1) v',
    columns: {
      character_set_name: `'UTF8'`,
      character_repertoire: `'UCS'`,
      form_of_use: `'UTF8'`,
      default_collate_catalog: database,
      default_collate_schema: `'pg_catalog'`,
      default_collate_name: `'default'`,
    },
  },
  enabled_roles: { from: '(SELECT 1) v', columns: { role_name: `getvariable('pg__user')` } },
};

function viewText(schema: string, name: string, { from, columns }: ViewSource): string {
  const relation = systemRelation(schema, name);
  if (relation === null) throw new Error(`PostgreSQL has no ${schema}.${name}`);
  const unknown = Object.keys(columns).filter(
    (column) => !relation.columns.some((each) => each.name === column),
  );
  if (unknown.length > 0) throw new Error(`${schema}.${name} has no ${unknown.join(', ')}`);
  const list = relation.columns.map(
    (column) => `(${columns[column.name] ?? 'NULL'})::${storedType(column.type)} AS "${column.name}"`,
  );
  return `CREATE VIEW "${tableName(schema, name)}" AS SELECT ${list.join(', ')} FROM ${from}`;
}

/** What a relation is called in the instance. */
function tableName(schema: string, name: string): string {
  return schema === 'information_schema' ? `${schema}.${name}` : name;
}

/** Tables without rows for relations that have none here, and views that need no macro; then the views that do. */
export function systemViews(): { readonly first: readonly string[]; readonly last: readonly string[] } {
  const views = [
    ...Object.entries(pgCatalog).map(([name, source]) => ['pg_catalog', name, source] as const),
    ...Object.entries(informationSchema).map(
      ([name, source]) => ['information_schema', name, source] as const,
    ),
  ];
  const made = new Set(views.map(([schema, name]) => `${schema}.${name}`));
  const empty = relations.filter(({ schema, name }) => !made.has(`${schema}.${name}`));
  const tables = empty.map(({ schema, name, columns }) => {
    const list = columns.map((column) => `"${column.name}" ${storedType(column.type)}`);
    return `CREATE TABLE "${tableName(schema, name)}" (${list.join(', ')})`;
  });
  const texts = views.map(([schema, name, source]) => viewText(schema, name, source));
  const usesMacros = (text: string) => /pg__\w+\(/.test(text);
  return { first: [...tables, ...texts.filter((text) => !usesMacros(text))], last: texts.filter(usesMacros) };
}
