/** Why a function of Spark 4.2 is not offered, and what to do instead. Tests compare both lists with what Spark has. */
interface Refusal {
  readonly names: readonly string[];
  readonly reason: string;
  readonly hint?: string;
}

function words(list: string): readonly string[] {
  return list.split(/\s+/);
}

const refusals: readonly Refusal[] = [
  {
    names: words('reflect try_reflect java_method'),
    reason: 'It calls code of the server.',
  },
  {
    names: words(
      'xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string',
    ),
    reason: 'Its parser can fetch addresses that are in the text.',
  },
  {
    names: words('from_xml to_xml schema_of_xml from_avro to_avro schema_of_avro from_protobuf to_protobuf'),
    reason: 'Its options can name files of the server.',
    hint: 'Convert such data before it is put as a frame.',
  },
  {
    names: words('input_file_name input_file_block_start input_file_block_length'),
    reason: 'It shows where frames are stored.',
  },
  {
    names: words(
      'current_user user session_user current_catalog current_database current_schema current_path current_timezone version sql_keywords collations python_worker_logs',
    ),
    reason: 'It tells about the server, not about frames.',
  },
  {
    names: words(
      'rand randn random randstr uniform uuid shuffle monotonically_increasing_id spark_partition_id distributed_id distributed_sequence_id',
    ),
    reason: 'Its results change when a part of the statement is run again, as Spark does after a fault.',
    hint: 'Use row_number() over an order, or hash(…) of a key.',
  },
  {
    names: words('aes_encrypt aes_decrypt try_aes_decrypt'),
    reason: 'Its key would be in the history of statements.',
  },
  {
    names: words('raise_error assert_true'),
    reason: 'It only makes the statement fail.',
    hint: 'Select the rows in question instead.',
  },
  {
    names:
      words(`approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate bitmap_and_agg bitmap_construct_agg bitmap_count
      bitmap_or_agg bloom_filter_agg count_min_sketch hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg kll_merge_agg_bigint
      kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_sketch_get_n_bigint
      kll_sketch_get_n_double kll_sketch_get_n_float kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
      kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint kll_sketch_merge_double
      kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float theta_difference theta_intersection
      theta_intersection_agg theta_sketch_agg theta_sketch_estimate theta_union theta_union_agg tuple_difference_double tuple_difference_integer
      tuple_difference_theta_double tuple_difference_theta_integer tuple_intersection_agg_double tuple_intersection_agg_integer
      tuple_intersection_double tuple_intersection_integer tuple_intersection_theta_double tuple_intersection_theta_integer tuple_sketch_agg_double
      tuple_sketch_agg_integer tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_summary_double tuple_sketch_summary_integer
      tuple_sketch_theta_double tuple_sketch_theta_integer tuple_union_agg_double tuple_union_agg_integer tuple_union_double tuple_union_integer
      tuple_union_theta_double tuple_union_theta_integer`),
    reason: 'A damaged sketch can end the process that reads it.',
    hint: 'Use approx_count_distinct or approx_percentile over the values.',
  },
  {
    names: words('collate collation'),
    reason: 'Collations are not kept in results.',
    hint: 'Compare lower(…) of both texts.',
  },
  {
    names: words(
      'current_time make_time time time_bucket time_diff time_from_micros time_from_millis time_from_seconds time_to_micros time_to_millis time_to_seconds time_trunc to_time try_to_time',
    ),
    reason: 'Times of day are not read and written exactly.',
    hint: 'Use timestamps.',
  },
  {
    names: words('st_asbinary st_geogfromwkb st_geomfromwkb st_setsrid st_srid'),
    reason: 'Shapes are not read and written exactly.',
  },
  {
    names: words('measure'),
    reason: 'It needs a metric view, and there are none.',
  },
  {
    names: words('between case cast in not and or when'),
    reason: 'It is no function.',
    hint: 'Write it as SQL does: x BETWEEN a AND b, CASE WHEN … END, CAST(x AS type), x IN (…), NOT x.',
  },
  {
    names: words('tsdb'),
    reason: 'Spark does not reach the external database.',
    hint: 'Put its rows into a frame first, with a statement of the default engine and "into".',
  },
];

const byName = new Map(refusals.flatMap((refusal) => refusal.names.map((name) => [name, refusal] as const)));

export const refusedFunctions: ReadonlySet<string> = new Set(byName.keys());

export function refusedFunction(
  name: string,
): { readonly reason: string; readonly hint: string | undefined } | null {
  const found = byName.get(name);
  return found === undefined ? null : { reason: found.reason, hint: found.hint };
}
