import { SQLDialect } from '@codemirror/lang-sql';

// Without words that are names of columns more often, such as `time` and `name`.
const keywords =
  'all analyze and anti any array as asc asof attach between both by case cast column create cross cube current ' +
  'default desc describe distinct drop else end escape except exclude exists explain extract fetch filter following for from ' +
  'full glob group grouping having if ignore ilike in inner insert intersect interval into is join lateral leading ' +
  'left like limit materialized natural not null nulls offset on or order ordinality outer over overlaps partition ' +
  'pivot positional preceding qualify recursive repeatable replace reservoir respect returning right rollup ' +
  'sample select semi show similar some summarize table tablesample then ties to trailing ' +
  'true false try_cast unbounded union unnest unpivot using values when where window with within without';

/** DuckDB's SQL, for colours. The server parses statements, not the console. */
export const duckdbDialect = SQLDialect.define({
  keywords,
  types:
    'bigint blob bool boolean bytea char decimal double dec float float4 float8 hugeint int int1 int2 int4 int8 integer ' +
    'interval long numeric real short smallint timestamp timestamptz timestamp_ms timestamp_ns ' +
    'timestamp_s timetz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar',
  doubleDollarQuotedStrings: true,
  operatorChars: '+-*/<>=~!@%^&|`?#:',
  specialVar: '$?',
});

/** For completion, in the order of the alphabet. */
export const keywordNames: readonly string[] = keywords.split(' ');
