/**
 * Functions that statements may call: their results depend on their arguments only, or on the time of the statement. A name that is not here is
 * refused, also one of a later Spark version. `refused-functions.ts` says why for the others that Spark 4.2 has.
 */

const conditional =
  'coalesce equal_null greatest if ifnull isnan isnotnull isnull least nanvl nullif nullifzero nvl nvl2 zeroifnull';

const mathematical = `abs acos acosh asin asinh atan atan2 atanh bin bround cbrt ceil ceiling conv cos cosh cot csc degrees div e exp expm1 factorial
  floor hex hypot ln log log10 log1p log2 mod negative pi pmod positive pow power radians rint round sec shiftleft shiftright shiftrightunsigned sign
  signum sin sinh sqrt tan tanh try_add try_divide try_mod try_multiply try_subtract unhex width_bucket bit_count bit_get getbit`;

const textual = `ascii base64 bit_length btrim char char_length character_length chr concat concat_ws contains decode elt encode endswith find_in_set
  format_number format_string ilike initcap instr is_valid_utf8 lcase left len length levenshtein like locate lower lpad ltrim luhn_check
  make_valid_utf8 mask octet_length overlay position printf quote regexp regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like
  regexp_replace regexp_substr repeat replace right rlike rpad rtrim sentences soundex space split split_part startswith str_to_map substr substring
  substring_index to_binary to_char to_number to_varchar translate trim try_to_binary try_to_number try_url_decode try_validate_utf8 ucase unbase64
  upper url_decode url_encode parse_url try_parse_url validate_utf8`;

const temporal = `add_months convert_timezone curdate current_date current_timestamp date_add date_diff date_format date_from_unix_date date_part
  date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek dayofyear extract from_unixtime from_utc_timestamp hour last_day
  localtimestamp make_date make_dt_interval make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_ym_interval minute month
  monthname months_between next_day now quarter second session_window timestamp_micros timestamp_millis timestamp_seconds to_date to_timestamp
  to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp trunc try_make_interval try_make_timestamp try_make_timestamp_ltz
  try_make_timestamp_ntz try_to_date try_to_timestamp unix_date unix_micros unix_millis unix_seconds unix_timestamp weekday weekofyear window
  window_time year`;

const nested = `aggregate array array_append array_compact array_contains array_distinct array_except array_insert array_intersect array_join
  array_max array_min array_position array_prepend array_remove array_repeat array_size array_sort array_union arrays_overlap arrays_zip cardinality
  element_at exists filter flatten forall get map map_concat map_contains_key map_entries map_filter map_from_arrays map_from_entries map_keys
  map_values map_zip_with named_struct reduce reverse sequence size slice sort_array struct transform transform_keys transform_values try_element_at
  vector_cosine_similarity vector_inner_product vector_l2_distance vector_norm vector_normalize zip_with`;

const documents = `from_csv from_json get_json_object is_valid_variant is_variant_null json_array_length json_object_keys parse_json schema_of_csv
  schema_of_json schema_of_variant to_csv to_json to_variant_object try_parse_json try_variant_get variant_get`;

const hashes = 'crc32 hash md5 sha sha1 sha2 xxhash64';

const casts = 'bigint binary boolean date decimal double float int smallint string timestamp tinyint typeof';

const aggregates = `any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bitmap_bit_position
  bitmap_bucket_number bool_and bool_or collect_list collect_set corr count count_if covar_pop covar_samp every first first_value grouping
  grouping_id histogram_numeric kurtosis last last_value listagg max max_by mean median min min_by mode percentile percentile_approx percentile_cont
  percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy schema_of_variant_agg skewness some std
  stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance vector_avg vector_sum`;

const ranks = 'cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number';

/** They make rows: in FROM, in LATERAL VIEW, and some in SELECT. */
const generators = `explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer range stack variant_explode
  variant_explode_outer`;

function names(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(/\s+/)));
}

export const scalarFunctions = names(
  conditional,
  mathematical,
  textual,
  temporal,
  nested,
  documents,
  hashes,
  casts,
);
export const aggregateFunctions = names(aggregates, ranks);
export const tableFunctions = names(generators);

export type FunctionPlace = 'expression' | 'table';

/** `range` is a table only; the other generators can also be in SELECT. `name` in lower case. */
export function isAllowedFunction(name: string, place: FunctionPlace): boolean {
  if (place === 'table') return tableFunctions.has(name);
  return (
    scalarFunctions.has(name) ||
    aggregateFunctions.has(name) ||
    (tableFunctions.has(name) && name !== 'range')
  );
}
