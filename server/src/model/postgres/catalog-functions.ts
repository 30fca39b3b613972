/**
 * Functions of PostgreSQL that statements over its catalogs call, and which the engine has not or has with another meaning: the instance with the catalogs has a
 * macro `pg__NAME` for each. The value is the type of the result, if that is not what the engine's type says.
 */
export const catalogFunctions: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  ...names(
    '_pg_expandarray',
    '_pg_truetypid',
    '_pg_truetypmod',
    'acldefault',
    'aclexplode',
    'array_length',
    'array_lower',
    'array_ndims',
  ),
  ...names(
    'array_remove',
    'array_upper',
    'cardinality',
    'col_description',
    'current_schemas',
    'current_setting',
    'format_type',
  ),
  ...names(
    'generate_subscripts',
    'has_any_column_privilege',
    'has_column_privilege',
    'has_database_privilege',
    'has_function_privilege',
  ),
  ...names(
    'has_schema_privilege',
    'has_sequence_privilege',
    'has_table_privilege',
    'has_tablespace_privilege',
    'has_type_privilege',
  ),
  ...names(
    'inet_client_addr',
    'inet_server_addr',
    'inet_server_port',
    'obj_description',
    'parse_ident',
    'pg_advisory_unlock_all',
  ),
  ...names(
    'pg_available_extensions',
    'pg_backend_pid',
    'pg_cast_is_visible',
    'pg_collation_is_visible',
    'pg_conf_load_time',
  ),
  ...names('pg_conversion_is_visible', 'pg_database_size', 'pg_function_is_visible', 'pg_get_constraintdef'),
  ...names(
    'pg_get_expr',
    'pg_get_function_arguments',
    'pg_get_function_identity_arguments',
    'pg_get_function_result',
    'pg_get_function_sqlbody',
  ),
  ...names(
    'pg_get_functiondef',
    'pg_get_indexdef',
    'pg_get_keywords',
    'pg_get_partition_constraintdef',
    'pg_get_partkeydef',
    'pg_get_ruledef',
  ),
  ...names(
    'pg_get_serial_sequence',
    'pg_get_statisticsobjdef',
    'pg_get_statisticsobjdef_columns',
    'pg_get_triggerdef',
    'pg_get_viewdef',
  ),
  ...names(
    'pg_has_role',
    'pg_index_column_has_property',
    'pg_index_has_property',
    'pg_indexam_has_property',
    'pg_indexes_size',
  ),
  ...names(
    'pg_is_in_recovery',
    'pg_is_other_temp_schema',
    'pg_jit_available',
    'pg_last_wal_receive_lsn',
    'pg_last_wal_replay_lsn',
  ),
  ...names(
    'pg_opclass_is_visible',
    'pg_operator_is_visible',
    'pg_options_to_table',
    'pg_partition_ancestors',
    'pg_postmaster_start_time',
  ),
  ...names(
    'pg_relation_filenode',
    'pg_relation_is_publishable',
    'pg_relation_size',
    'pg_size_pretty',
    'pg_stat_get_numscans',
  ),
  ...names(
    'pg_statistics_obj_is_visible',
    'pg_table_is_visible',
    'pg_table_size',
    'pg_tablespace_location',
    'pg_tablespace_size',
  ),
  ...names(
    'pg_total_relation_size',
    'pg_ts_config_is_visible',
    'pg_ts_dict_is_visible',
    'pg_type_is_visible',
    'quote_ident',
    'quote_literal',
  ),
  ...names(
    'quote_nullable',
    'row_security_active',
    'set_config',
    'shobj_description',
    'txid_current',
    'version',
  ),
  ['current_catalog', 'name'],
  ['current_database', 'name'],
  ['current_role', 'name'],
  ['current_schema', 'name'],
  ['current_user', 'name'],
  ['pg_client_encoding', 'name'],
  ['pg_encoding_to_char', 'name'],
  ['pg_get_userbyid', 'name'],
  ['session_user', 'name'],
  ['user', 'name'],
  ['pg_my_temp_schema', 'oid'],
  ['to_regclass', 'regclass'],
  ['to_regnamespace', 'regnamespace'],
  ['to_regproc', 'regproc'],
  ['to_regrole', 'regrole'],
  ['to_regtype', 'regtype'],
]);

/** Functions that the engine has under other names. */
export const renamedFunctions: Readonly<Record<string, string>> = {
  btrim: 'trim',
  json_build_array: 'json_array',
  json_build_object: 'json_object',
  jsonb_build_array: 'json_array',
  jsonb_build_object: 'json_object',
};

/** Those that say something of a session or of a catalog: a statement that reads no relation and calls one of them is answered by the catalogs. */
export const sessionFunctions: ReadonlySet<string> = new Set(
  [...catalogFunctions.keys()].filter(
    (name) => !/^(array_|cardinality$|generate_|quote_|parse_ident$)/.test(name),
  ),
);

function names(...list: readonly string[]): [string, null][] {
  return list.map((name) => [name, null]);
}
