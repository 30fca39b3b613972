import type { Attack } from './attack.ts';

/** Addresses as tables. */
export const otherBuckets: readonly Attack[] = [
  ['select * from parquet.`s3a://other/data`', 'fails'],
  ['select * from text.`http://127.0.0.1:@PORT@/x`', 'fails'],
  ['select * from csv.`https://127.0.0.1:@PORT@/x`', 'fails'],
  ['select * from text.`ftp://127.0.0.1:@PORT@/x`', 'fetches an address'],
  ['select * from parquet.`hdfs://127.0.0.1:@PORT@/x`', 'fetches an address'],
  ['select * from text.`webhdfs://127.0.0.1:@PORT@/x`', 'fetches an address'],
  ['select * from json.`s3a://frames/../other`', 'fails'],
  ['select * from s3a://other/data', 'fails'],
  ['select * from file://etc/passwd', 'fails'],
  ['select 1 as x from text.`jar:file:@DIR@/a.jar!/x`', 'fails'],
];
