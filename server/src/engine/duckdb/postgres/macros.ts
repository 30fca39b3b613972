/**
 * PostgreSQL's functions over the tables of `base-tables.ts`. `pg__` before their names keeps them apart from the engine's own functions, which other macros of the
 * engine use. Arguments are put into their texts: no alias in one may be that of another macro or of a statement, so each has a number.
 */
export const macros: readonly string[] = [
  // The engine's `~` wants the whole text to match, PostgreSQL's any part of it.
  'regexp_full_match(s, p) AS regexp_matches(s, p)',
  `"~*"(s, p) AS regexp_matches(s, p, 'i')`,
  `"!~*"(s, p) AS NOT regexp_matches(s, p, 'i')`,
  // Text and names.
  `pg__quote_ident(s) AS CASE WHEN regexp_full_match(s::VARCHAR, '[a-z_][a-z0-9_$]*') AND s NOT IN (SELECT word FROM pg__keywords WHERE code <> 'U') THEN s::VARCHAR
     ELSE '"' || replace(s::VARCHAR, '"', '""') || '"' END`,
  `pg__quote_literal(s) AS chr(39) || replace(s::VARCHAR, chr(39), chr(39) || chr(39)) || chr(39)`,
  `pg__quote_nullable(s) AS coalesce(pg__quote_literal(s), 'NULL')`,
  `pg__unquoted(s) AS CASE WHEN s[1] = '"' THEN replace(s[2:-2], '""', '"') ELSE lower(s) END`,
  `pg__schema_of(s) AS nullif(pg__unquoted(regexp_extract(s, '^(?:("(?:[^"]|"")*"|[^".]+)\\.)?("(?:[^"]|"")*"|[^".]+)$', 1)), '')`,
  `pg__name_of(s) AS nullif(pg__unquoted(regexp_extract(s, '^(?:("(?:[^"]|"")*"|[^".]+)\\.)?("(?:[^"]|"")*"|[^".]+)$', 2)), '')`,
  `pg__parse_ident(s) AS list_filter([pg__schema_of(s), pg__name_of(s)], lambda part: part IS NOT NULL)`,

  // Lists.
  'pg__is_any(x, list) AS list_contains(list, x)',
  'pg__array_upper(list, n) AS CASE WHEN len(list) > 0 AND n = 1 THEN len(list)::INTEGER END',
  'pg__array_lower(list, n) AS CASE WHEN len(list) > 0 AND n = 1 THEN 1 END',
  'pg__array_length(list, n) AS CASE WHEN len(list) > 0 AND n = 1 THEN len(list)::INTEGER END',
  `pg__array_ndims(list) AS CASE WHEN len(list) > 0 THEN 1 END`,
  'pg__cardinality(list) AS len(list)::INTEGER',
  'pg__array_remove(list, x) AS list_filter(list, lambda one: one IS DISTINCT FROM x)',
  'pg__subscripts(list, n) AS range(1, len(list) + 1)::INTEGER[]',
  'pg__generate_subscripts(list, n) AS unnest(range(1, len(list) + 1)::INTEGER[]), (list, n, r) AS unnest(list_reverse(range(1, len(list) + 1)::INTEGER[]))',
  'pg__series(a, b) AS range(a, b + 1)::INTEGER[]',
  'pg__generate_series(a, b) AS unnest(range(a, b + 1)::INTEGER[]), (a, b, step) AS unnest(generate_series(a, b, step))',
  `pg___pg_expandarray(list) AS unnest(list_transform(list, lambda one, i: {'x': one, 'n': i::INTEGER}))`,

  // Types as people write them.
  `pg__digits(m) AS CASE WHEN m >= 0 THEN '(' || m || ')' ELSE '' END`,
  `pg__type_text(of_name, m) AS CASE of_name
     WHEN 'bool' THEN 'boolean' WHEN 'int2' THEN 'smallint' WHEN 'int4' THEN 'integer' WHEN 'int8' THEN 'bigint'
     WHEN 'float4' THEN 'real' WHEN 'float8' THEN 'double precision' WHEN 'char' THEN '"char"'
     WHEN 'bpchar' THEN CASE WHEN m > 4 THEN 'character(' || (m - 4) || ')' WHEN m IS NULL THEN 'character' ELSE 'bpchar' END
     WHEN 'varchar' THEN 'character varying' || CASE WHEN m > 4 THEN '(' || (m - 4) || ')' ELSE '' END
     WHEN 'bit' THEN 'bit' || pg__digits(m) WHEN 'varbit' THEN 'bit varying' || pg__digits(m)
     WHEN 'numeric' THEN 'numeric' || CASE WHEN m >= 4 THEN '(' || (((m - 4) >> 16) & 65535) || ',' || ((m - 4) & 2047) || ')' ELSE '' END
     WHEN 'time' THEN 'time' || pg__digits(m) || ' without time zone' WHEN 'timetz' THEN 'time' || pg__digits(m) || ' with time zone'
     WHEN 'timestamp' THEN 'timestamp' || pg__digits(m) || ' without time zone'
     WHEN 'timestamptz' THEN 'timestamp' || pg__digits(m) || ' with time zone' END`,
  `pg__format_type(o, m) AS CASE WHEN o IS NULL THEN NULL WHEN o = 0 THEN '-' ELSE coalesce((SELECT coalesce(pg__type_text(t2.base, m), t2.shown) || t2.suffix FROM pg__type t2 WHERE t2.oid = o), '???') END`,

  // Objects and their names.
  `pg__shown(in_schema, of_name) AS CASE WHEN in_schema IN (11, 2200) THEN '' ELSE coalesce(pg__quote_ident((SELECT n3.nspname FROM pg_namespace n3 WHERE n3.oid = in_schema)) || '.', '') END || pg__quote_ident(of_name)`,
  `pg__regclass_text(o) AS CASE WHEN o = 0 THEN '-' ELSE coalesce((SELECT pg__shown(r4.namespace, r4.name) FROM pg__relation r4 WHERE r4.oid = o), o::VARCHAR) END`,
  `pg__regproc_text(o) AS CASE WHEN o = 0 THEN '-' ELSE coalesce((SELECT f5.name FROM pg__function f5 WHERE f5.oid = o), o::VARCHAR) END`,
  `pg__regprocedure_text(o) AS pg__regproc_text(o)`,
  `pg__regtype_text(o) AS CASE WHEN o = 0 THEN '-' ELSE pg__format_type(o, NULL) END`,
  `pg__regnamespace_text(o) AS CASE WHEN o = 0 THEN '-' ELSE coalesce((SELECT pg__quote_ident(n6.nspname) FROM pg_namespace n6 WHERE n6.oid = o), o::VARCHAR) END`,
  `pg__regrole_text(o) AS CASE WHEN o = 0 THEN '-' ELSE coalesce((SELECT pg__quote_ident(r7.rolname) FROM pg_roles r7 WHERE r7.oid = o), o::VARCHAR) END`,
  `pg__regcollation_text(o) AS CASE WHEN o = 0 THEN '-' ELSE coalesce((SELECT pg__quote_ident(c8.collname) FROM pg_collation c8 WHERE c8.oid = o), o::VARCHAR) END`,
  ...['regoper', 'regoperator', 'regconfig', 'regdictionary'].map(
    (type) => `pg__${type}_text(o) AS CASE WHEN o = 0 THEN '-' ELSE o::VARCHAR END`,
  ),
  `pg__to_regclass(s) AS (SELECT r9.oid FROM pg__relation r9 JOIN pg_namespace n9 ON n9.oid = r9.namespace WHERE r9.name = pg__name_of(s)
     AND CASE WHEN pg__schema_of(s) IS NULL THEN n9.oid IN (11, 2200) ELSE n9.nspname = pg__schema_of(s) END ORDER BY n9.oid LIMIT 1)`,
  `pg__to_regtype(s) AS (SELECT t10.oid FROM pg_type t10 WHERE t10.typname = pg__name_of(s) OR pg__format_type(t10.oid, NULL) = s ORDER BY t10.oid LIMIT 1)`,
  `pg__to_regproc(s) AS (SELECT f11.oid FROM pg__function f11 WHERE f11.name = pg__name_of(s) LIMIT 1)`,
  `pg__to_regnamespace(s) AS (SELECT n12.oid FROM pg_namespace n12 WHERE n12.nspname = pg__unquoted(s))`,
  `pg__to_regrole(s) AS (SELECT r13.oid FROM pg_roles r13 WHERE r13.rolname = pg__unquoted(s))`,
  ...oidOf('regclass', 'relation'),
  ...oidOf('regtype', 'type'),
  ...oidOf('regproc', 'function'),
  ...oidOf('regnamespace', 'schema'),
  ...oidOf('regrole', 'role'),
  `pg__to_regprocedure_oid(s) AS pg__to_regproc_oid(s)`,
  `pg__to_regcollation_oid(s) AS coalesce(TRY_CAST(s AS UINTEGER), (SELECT c14.oid FROM pg_collation c14 WHERE c14.collname = pg__name_of(s) LIMIT 1))`,
  ...['regoper', 'regoperator', 'regconfig', 'regdictionary'].map(
    (type) => `pg__to_${type}_oid(s) AS TRY_CAST(s AS UINTEGER)`,
  ),

  // Of the session.
  `pg__version() AS 'PostgreSQL ' || getvariable('pg__version') || ' (Framehold)'`,
  `pg__current_setting(n) AS coalesce((SELECT s15.setting FROM pg_settings s15 WHERE lower(s15.name) = lower(n)), error('unrecognized configuration parameter "' || n || '"')),
     (n, missing) AS (SELECT s15.setting FROM pg_settings s15 WHERE lower(s15.name) = lower(n))`,
  'pg__set_config(n, v, is_local) AS v::VARCHAR',
  ...['current_database', 'current_catalog'].map((name) => `pg__${name}() AS getvariable('pg__database')`),
  ...['current_user', 'session_user', 'current_role', 'user'].map(
    (name) => `pg__${name}() AS getvariable('pg__user')`,
  ),
  `pg__current_schema() AS 'public'`,
  `pg__current_schemas(implicit) AS CASE WHEN implicit THEN ['pg_catalog', 'public'] ELSE ['public'] END`,
  `pg__pg_backend_pid() AS getvariable('pg__backend')`,
  `pg__pg_client_encoding() AS 'UTF8'`,
  `pg__pg_postmaster_start_time() AS getvariable('pg__started')`,
  `pg__pg_conf_load_time() AS getvariable('pg__started')`,
  `pg__txid_current() AS 1::BIGINT`,
  ...constants(
    'NULL::VARCHAR',
    'inet_client_addr() inet_server_addr() inet_server_port() pg_advisory_unlock_all() pg_last_wal_receive_lsn() pg_last_wal_replay_lsn()',
  ),
  ...constants(
    'false',
    'pg_is_in_recovery() pg_jit_available() pg_is_other_temp_schema(o) row_security_active(o)',
  ),
  'pg__pg_my_temp_schema() AS 0::UINTEGER',

  // Of relations.
  `pg__pg_table_is_visible(o) AS (SELECT r16.namespace IN (11, 2200) FROM pg__relation r16 WHERE r16.oid = o)`,
  `pg__pg_type_is_visible(o) AS (SELECT t17.typnamespace IN (11, 2200) FROM pg_type t17 WHERE t17.oid = o)`,
  `pg__pg_function_is_visible(o) AS EXISTS (SELECT 1 FROM pg__function f18 WHERE f18.oid = o)`,
  `pg__pg_collation_is_visible(o) AS EXISTS (SELECT 1 FROM pg_collation c19 WHERE c19.oid = o)`,
  ...constants(
    'true',
    'pg_opclass_is_visible(o) pg_operator_is_visible(o) pg_conversion_is_visible(o) pg_cast_is_visible(o) pg_statistics_obj_is_visible(o) pg_ts_config_is_visible(o) pg_ts_dict_is_visible(o)',
  ),
  `pg__pg_get_userbyid(o) AS coalesce((SELECT r20.rolname FROM pg_roles r20 WHERE r20.oid = o), 'unknown (OID=' || o || ')')`,
  `pg__pg_encoding_to_char(e) AS CASE e WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' ELSE '' END`,
  `pg__obj_description(o, c) AS (SELECT d21.description FROM pg_description d21 WHERE d21.objoid = o AND d21.objsubid = 0 AND d21.classoid = pg__to_regclass(c)),
     (o) AS (SELECT d21.description FROM pg_description d21 WHERE d21.objoid = o AND d21.objsubid = 0 LIMIT 1)`,
  `pg__shobj_description(o, c) AS NULL::VARCHAR`,
  `pg__col_description(o, n) AS (SELECT d22.description FROM pg_description d22 WHERE d22.objoid = o AND d22.objsubid = n LIMIT 1)`,
  ...constants(
    'NULL::VARCHAR',
    'pg_get_expr(a, b) pg_get_indexdef(a) pg_get_constraintdef(a) pg_get_viewdef(a) pg_get_ruledef(a)',
    [
      'pg_get_expr(a, b, c)',
      'pg_get_indexdef(a, b, c)',
      'pg_get_constraintdef(a, b)',
      'pg_get_viewdef(a, b)',
      'pg_get_ruledef(a, b)',
    ],
  ),
  ...constants(
    'NULL::VARCHAR',
    'pg_get_functiondef(a) pg_get_function_sqlbody(a) pg_get_partition_constraintdef(a) pg_get_partkeydef(a) pg_get_serial_sequence(a, b) pg_get_statisticsobjdef(a) pg_get_statisticsobjdef_columns(a) pg_tablespace_location(a)',
  ),
  'pg__pg_get_triggerdef(a) AS NULL::VARCHAR, (a, b) AS NULL::VARCHAR',
  `pg__pg_get_function_result(o) AS (SELECT pg__format_type(f23.result, NULL) FROM pg__function f23 WHERE f23.oid = o)`,
  `pg__pg_get_function_arguments(o) AS (SELECT string_agg(pg__format_type(a24.one, NULL), ', ') FROM (SELECT unnest(f.arguments) AS one FROM pg__function f WHERE f.oid = o) a24)`,
  `pg__pg_get_function_identity_arguments(o) AS pg__pg_get_function_arguments(o)`,
  `pg__pg_partition_ancestors(o) AS unnest([o::UINTEGER])`,
  ...constants(
    'false',
    'pg_relation_is_publishable(o) pg_index_column_has_property(a, b, c) pg_index_has_property(a, b) pg_indexam_has_property(a, b)',
  ),
  ...constants(
    '0::BIGINT',
    'pg_relation_size(o) pg_table_size(o) pg_total_relation_size(o) pg_indexes_size(o) pg_database_size(o) pg_tablespace_size(o) pg_stat_get_numscans(o)',
    ['pg_relation_size(o, fork)'],
  ),
  'pg__pg_relation_filenode(o) AS 0::UINTEGER',
  `pg__pg_size_pretty(n) AS CASE WHEN abs(n) < 10240 THEN n::BIGINT || ' bytes' WHEN abs(n) < 10240 * 1024 THEN round(n / 1024)::BIGINT || ' kB' ELSE round(n / 1024 / 1024)::BIGINT || ' MB' END`,

  // Rights: whoever sees a relation may read it, and change nothing.
  ...privileges('table', 'any_column'),
  `pg__has_column_privilege(t, c, p) AS lower(p) = 'select', (u, t, c, p) AS lower(p) = 'select'`,
  ...['schema', 'type', 'tablespace', 'function'].map(
    (kind) =>
      `pg__has_${kind}_privilege(o, p) AS lower(p) IN ('usage', 'execute'), (u, o, p) AS lower(p) IN ('usage', 'execute')`,
  ),
  `pg__has_database_privilege(o, p) AS lower(p) = 'connect', (u, o, p) AS lower(p) = 'connect'`,
  `pg__has_sequence_privilege(o, p) AS false, (u, o, p) AS false`,
  `pg__pg_has_role(r, p) AS true, (u, r, p) AS true`,
  'pg__acldefault(kind, o) AS NULL::VARCHAR[]',

  // Of information_schema.
  `pg___pg_truetypid(a, t) AS a.atttypid`,
  `pg___pg_truetypmod(a, t) AS a.atttypmod`,
];

/** Macros that give tables. */
export const tableMacros: readonly string[] = [
  `pg__aclexplode(acl) AS TABLE SELECT NULL::UINTEGER AS grantor, NULL::UINTEGER AS grantee, NULL::VARCHAR AS privilege_type, NULL::BOOLEAN AS is_grantable WHERE false`,
  `pg__pg_options_to_table(options) AS TABLE SELECT NULL::VARCHAR AS option_name, NULL::VARCHAR AS option_value WHERE false`,
  `pg__pg_available_extensions() AS TABLE SELECT NULL::VARCHAR AS name, NULL::VARCHAR AS default_version, NULL::VARCHAR AS comment WHERE false`,
  `pg__pg_get_keywords() AS TABLE SELECT word, code AS catcode, true AS barelabel, description AS catdesc, 'can be bare label' AS baredesc FROM pg__keywords`,
];

/** Also as a table function, where a statement reads from it. */
export const tableFunctions: ReadonlySet<string> = new Set([
  'pg__aclexplode',
  'pg__pg_options_to_table',
  'pg__pg_available_extensions',
  'pg__pg_get_keywords',
]);

/** A number is taken as it is; a name that there is none of fails, as the cast does in PostgreSQL. */
function oidOf(type: string, what: string): readonly string[] {
  return [
    `pg__to_${type}_oid(s) AS CASE WHEN s IS NULL THEN NULL WHEN s = '-' THEN 0::UINTEGER ELSE coalesce(TRY_CAST(s AS UINTEGER), pg__to_${type}(s), error('${what} "' || s || '" does not exist')::UINTEGER) END`,
  ];
}

/** Functions with the same answer always. `further`: forms of those before, with other arguments. */
function constants(value: string, signatures: string, further: readonly string[] = []): readonly string[] {
  const nameOf = (signature: string) => signature.slice(0, signature.indexOf('('));
  return (signatures.match(/\w+\([^)]*\)/g) ?? []).map((signature) => {
    const others = further.filter((each) => nameOf(each) === nameOf(signature));
    const forms = [signature, ...others].map((each) => `${each.slice(each.indexOf('('))} AS ${value}`);
    return `pg__${nameOf(signature)}${forms.join(', ')}`;
  });
}

function privileges(...kinds: readonly string[]): readonly string[] {
  return kinds.map(
    (kind) => `pg__has_${kind}_privilege(t, p) AS lower(p) = 'select', (u, t, p) AS lower(p) = 'select'`,
  );
}
