import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeColumn } from '../../../src/arrow/schema/column-types.ts';
import { pyarrowStreams } from '../pyarrow-streams.ts';
import { checkBytes } from '../stream-bytes.ts';

const streams = await pyarrowStreams();

/** The table of decisions, by the columns of make-streams.py. */
const expected: Record<string, string> = {
  bool: 'BOOLEAN',
  i8: 'BYTE',
  i16: 'SHORT',
  i32: 'INT',
  i64: 'LONG',
  u8: 'UBYTE',
  u16: 'USHORT',
  u32: 'UINT',
  u64: 'ULONG',
  f16: 'FLOAT',
  f32: 'FLOAT',
  f64: 'DOUBLE',
  null: 'NULL',
  d32: 'DECIMAL(9,2)',
  d64: 'DECIMAL(18,2)',
  d128: 'DECIMAL(38,2)',
  d256: 'DECIMAL(76,2)',
  date32: 'DATE',
  date64: 'DATE',
  time_s: 'TIME',
  time_ms: 'TIME',
  time_us: 'TIME',
  time_ns: 'TIME',
  ts_s: 'TIMESTAMP',
  ts_ms: 'TIMESTAMP',
  ts_us: 'TIMESTAMP',
  ts_ns: 'TIMESTAMP_NS',
  duration: 'DURATION',
  interval: 'INTERVAL',
  utf8: 'STRING',
  large_utf8: 'STRING',
  utf8_view: 'STRING',
  binary: 'BINARY',
  large_binary: 'BINARY',
  binary_view: 'BINARY',
  fixed: 'BINARY',
  uuid: 'UUID',
  list: 'ARRAY 1 LONG',
  large_list: 'ARRAY 1 SHORT',
  list_view: 'ARRAY 1 INT',
  large_list_view: 'ARRAY 1 INT',
  fixed_list: 'ARRAY 1 BYTE',
  struct: 'STRUCT',
  list_of_struct: 'ARRAY 1 STRUCT',
  map: 'MAP',
  list_of_list: 'ARRAY 2 STRING',
  dense: 'UNION',
  sparse: 'UNION',
  run_ends: 'STRING',
  short_runs: 'LONG',
  symbol: 'SYMBOL',
  wide: 'LONG',
  unsigned: 'SYMBOL',
  of_struct: 'STRUCT',
  in_list: 'ARRAY 1 SYMBOL',
  in_struct: 'STRUCT',
  nested: 'STRUCT',
};

it('names the type of every column', () => {
  const found: Record<string, string> = {};
  for (const name of ['numbers', 'times', 'texts', 'nested', 'other', 'dictionaries']) {
    for (const field of checkBytes((streams.get(name) ?? assert.fail()).bytes).schema.fields) {
      const { name: column, type, dim, elemType } = describeColumn(field);
      found[column] = [type, dim, elemType].filter((part) => part !== undefined).join(' ');
    }
  }
  assert.deepEqual(found, expected);
});
