/** Table functions that make rows out of their arguments and of nothing else. */
export const allowedTableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'icu_calendar_names',
  'json_each',
  'json_tree',
  'pg_timezone_names',
  'range',
  'repeat',
  'repeat_row',
  'test_all_types',
  'test_vector_types',
  'unnest',
]);

/**
 * Functions in expressions that look beyond their arguments: at settings, at the catalog (where the paths of files are), at statements
 * given as text, at what other statements of an instance left. A test compares this list with the engine's own definitions.
 */
export const deniedFunctions: ReadonlySet<string> = new Set([
  'col_description',
  'currval',
  'current_query',
  'current_setting',
  'format_type',
  'get_block_size',
  'getenv',
  'getvariable',
  'json_execute_serialized_sql',
  'json_serialize_plan',
  'nextval',
  'obj_description',
  'parse_duckdb_log_message',
  'pg_get_constraintdef',
  'pg_get_viewdef',
  'query',
  'query_table',
  'shobj_description',
  'write_log',
]);
