import { SQLDialect } from '@codemirror/lang-sql';

const keywords =
  'all analyze and anti any array as asc asof attach between both by case cast column columns create cross cube current date day ' +
  'default desc describe distinct drop else end escape except exclude exists explain extract fetch filter first following for from ' +
  'full glob group grouping groups having hour if ignore ilike in inner insert intersect interval into is join last lateral leading ' +
  'left like limit materialized minute month name natural not null nulls offset on or order ordinality outer over overlaps partition ' +
  'percent pivot positional preceding qualify range recursive repeatable replace reservoir respect returning right rollup row rows ' +
  'sample second select semi sets show similar some struct summarize system table tables tablesample temp then ties time to trailing ' +
  'true false try_cast unbounded union unnest unpivot using values view when where window with within without year zone';

/** DuckDB's SQL, for colours. The server parses statements, not the console. */
export const duckdbDialect = SQLDialect.define({
  keywords,
  types:
    'bigint bit blob bool boolean bytea char date decimal double dec enum float float4 float8 hugeint int int1 int2 int4 int8 integer ' +
    'interval json list long map numeric real short smallint string struct text time timestamp timestamptz timestamp_ms timestamp_ns ' +
    'timestamp_s timetz tinyint ubigint uhugeint uinteger union usmallint utinyint uuid varchar',
  doubleDollarQuotedStrings: true,
  operatorChars: '+-*/<>=~!@%^&|`?#:',
  specialVar: '$?',
});

/** For completion, in the order of the alphabet. */
export const keywordNames: readonly string[] = keywords.split(' ');
