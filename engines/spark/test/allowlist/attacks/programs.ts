import type { Attack } from './attack.ts';

/** Programs that the workers start. */
export const programs: readonly Attack[] = [
  ["select transform(id) using 'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
  ["select transform(id) using 'cat @DIR@/secret.txt' as (x string) from t", 'reads the file'],
  ["SELECT TRANSFORM (id, name) USING 'touch @DIR@/ran; cat' FROM t", 'runs a program'],
  ["map id using 'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
  ["reduce id using 'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
  ["from t map id using 'touch @DIR@/ran; cat' as (x)", 'runs a program'],
  ["from t reduce id using 'touch @DIR@/ran; cat' as (x)", 'runs a program'],
  ["from t select transform(id) using 'touch @DIR@/ran; cat' as (x)", 'runs a program'],
  ["select * from (select transform(id) using 'touch @DIR@/ran; cat' as (x) from t) y", 'runs a program'],
  ["with a as (map id using 'touch @DIR@/ran; cat' as (x) from t) select * from a", 'runs a program'],
  ["select 1 union all select transform(id) using 'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
  ["select (select max(x) from (map id using 'touch @DIR@/ran; cat' as (x) from t))", 'runs a program'],
  ["select 1 where exists (map id using 'touch @DIR@/ran; cat' as (x) from t)", 'runs a program'],
  ["select transform(distinct id) using 'touch @DIR@/ran; cat' as (x int) from t", 'fails'],
  ["select /* a */ transform /* b */ (id) using 'touch @DIR@/ran; cat' from t", 'runs a program'],
  [
    "select transform(id) row format delimited fields terminated by ',' using 'touch @DIR@/ran; cat' as (x) from t",
    'runs a program',
  ],
  [
    "select transform(id) row format serde 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe' using 'touch @DIR@/ran; cat' as (x) from t",
    'fails',
  ],
  ["map distinct id using 'touch @DIR@/ran; cat' from t", 'fails'],
  ["select id from t where id in (map id using 'touch @DIR@/ran; cat' as (x int) from t)", 'runs a program'],
  ["from (from t map id using 'touch @DIR@/ran; cat' as (x)) y select *", 'runs a program'],
  ["select transform(*) using 'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
  ["select transform(id) using r'touch @DIR@/ran; cat' as (x) from t", 'runs a program'],
];
