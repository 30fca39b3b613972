/** 1,000 rows × 4 (LONG, DOUBLE, TIMESTAMP, STRING; 59 KB of JSON), the same in QuestDB and in a frame. */

export const ticksTable = `create table ticks as (select x id, x * 1.25 price, timestamp_sequence('2024-01-01', 1000000) ts,
  cast('name-' || x as string) name from long_sequence(1000)) timestamp(ts) partition by day`;

/** As an expression of Python. */
export const frameOfTicks = `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
  'ts': pa.array([1704067200000000 + x * 1000000 for x in range(1000)], pa.timestamp('us')),
  'name': [f'name-{x}' for x in range(1, 1001)]})`;

export const selectTicks = `/exec?query=${encodeURIComponent('select id, price, ts, name from ticks')}&fmt=json`;
