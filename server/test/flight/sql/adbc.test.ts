import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/patience.ts';
import { Harness } from '../harness.ts';
import { DuckSql } from './duck-sql.ts';

describe('Flight SQL, asked by ADBC', () => {
  let harness: Harness;
  let sql: DuckSql;
  before(async () => {
    harness = await Harness.start({ sql: { serverVersion: '9.8.7' } }, (frames) => {
      sql = new DuckSql(frames);
      return sql;
    });
    await harness.python.run(
      `
import warnings
import adbc_driver_flightsql.dbapi as dbapi
warnings.simplefilter('ignore')
put(state['client'], path('prices'), table(3000))
state['sql'] = dbapi.connect(input, autocommit=True)
`,
      harness.url,
    );
  });
  after(async () => {
    sql.kill();
    await harness[Symbol.asyncDispose]();
  });

  const ask = (code: string) => harness.python.run(`sql = state['sql']\n${code}`);
  const fails = async (code: string) => {
    const reply = await harness.python.tryRun(`sql = state['sql']\n${code}`);
    assert.notEqual(reply.error, undefined, `it worked: ${JSON.stringify(reply.answer)}`);
    return reply.message ?? '';
  };

  it('runs a query and streams its batches', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.execute("select a, s from prices order by a")
    back = cursor.fetch_arrow_table()
answer = [back.equals(table(3000)), back.column(0).num_chunks]
`);
    assert.deepEqual(answer, [true, 3]);
  });

  it('names the engine in a header, which tickets and prepared statements remember', async () => {
    const header = 'adbc.flight.sql.rpc.call_header.framehold-engine';
    const enginesOf = async (code: string) => {
      const from = sql.engines.length;
      await ask(`
import adbc_driver_flightsql.dbapi as dbapi
with dbapi.connect(${JSON.stringify(harness.url)}, {'${header}': 'spark'}, autocommit=True) as named:
    with named.cursor() as cursor:
${code.replaceAll(/^/gm, '        ')}`);
      return sql.engines.slice(from);
    };
    assert.deepEqual(await enginesOf("cursor.execute('select 1')\ncursor.fetchall()"), ['spark', 'spark']);
    assert.deepEqual(await enginesOf("cursor.execute('select ?', (1,))\ncursor.fetchall()"), [
      'spark',
      'spark',
    ]);
    // What was prepared for an engine stays with it, whatever later calls say.
    const plain = `cursor.adbc_prepare('select 1')
cursor.adbc_statement.set_options(**{'${header}': 'duckdb'})
cursor.execute('select 1')
cursor.fetchall()`;
    assert.deepEqual([...new Set(await enginesOf(plain))], ['spark']);
    const from = sql.engines.length;
    await ask("with sql.cursor() as cursor:\n    cursor.execute('select 1')\n    cursor.fetchall()");
    assert.deepEqual([...new Set(sql.engines.slice(from))], ['duckdb']);
  });

  it('refuses an engine that nobody knows, and names those that exist', async () => {
    const from = sql.engines.length;
    const message = await fails(`
import adbc_driver_flightsql.dbapi as dbapi
with dbapi.connect(${JSON.stringify(harness.url)}, {'adbc.flight.sql.rpc.call_header.framehold-engine': 'trino'}, autocommit=True) as named:
    with named.cursor() as cursor:
        cursor.execute('select 1')`);
    assert.match(message, /There is no engine "trino".*duckdb, spark/s);
    assert.equal(sql.engines.length, from);
  });

  it('describes a prepared query once, and runs it once', async () => {
    const before = [sql.described.length, sql.executed.length, sql.released];
    await ask(`
with sql.cursor() as cursor:
    cursor.execute("select count(*) from prices")
    answer = cursor.fetchall()
`);
    await eventually('the rows are released', () => sql.released === (before[2] ?? 0) + 1);
    assert.deepEqual(
      [sql.described.length, sql.executed.length],
      [(before[0] ?? 0) + 1, (before[1] ?? 0) + 1],
    );
  });

  it('binds parameters, and takes the types of the columns from what runs', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.execute("select ? + 1 as n, ? as t", (41, 'x'))
    first = cursor.fetchall()
    cursor.execute("select a from prices where a < ? order by a", (2,))
    answer = [first, cursor.fetchall()]
`);
    assert.deepEqual(answer, [[[42, 'x']], [[0], [1]]]);
  });

  it('runs a change once, although it comes as a query', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.execute("create table changed as select 1 as a")
    count = cursor.rowcount
    cursor.execute("insert into changed values (2)")
    cursor.execute("select count(*) from changed")
    answer = [count, cursor.fetchone()[0]]
`);
    assert.deepEqual(answer, [1, 2]);
    assert.equal(sql.executed.filter((each) => each.startsWith('insert into changed')).length, 1);
  });

  it('gives no rows for a change whose ticket is fetched', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.execute("create table fetched as select 1 as a")
    back = cursor.fetch_arrow_table()
    answer = [back.num_rows, back.num_columns]
`);
    assert.deepEqual(answer, [0, 0]);
  });

  it('runs an update for every row of parameters', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.execute("create table many as select 1 as a, 'x' as s")
    cursor.executemany("insert into many values (?, ?)", [(2, 'y'), (3, 'z')])
    count = cursor.rowcount
    cursor.execute("select s from many order by a")
    answer = [count, cursor.fetchall()]
`);
    assert.deepEqual(answer, [2, [['x'], ['y'], ['z']]]);
  });

  it('runs an update without preparing it', async () => {
    const answer = await ask(`
with sql.cursor() as cursor:
    cursor.adbc_statement.set_sql_query("create table direct as select 7 as a")
    count = cursor.adbc_statement.execute_update()
    cursor.adbc_statement.set_sql_query("select a from direct")
    handle, _ = cursor.adbc_statement.execute_query()
    answer = [count, pa.RecordBatchReader._import_from_c(handle.address).read_all().to_pydict()]
`);
    assert.deepEqual(answer, [1, { a: [7] }]);
  });

  it('distinguishes an update that gives rows from one that does not', async () => {
    const message = await fails(`
with sql.cursor() as cursor:
    cursor.adbc_statement.set_sql_query("select 1")
    cursor.adbc_statement.execute_update()
`);
    assert.match(message, /gives rows/);
  });

  it('passes the fault of a statement on when it is prepared', async () => {
    assert.match(await fails(`sql.cursor().execute("select nothing from prices")`), /nothing/);
  });

  it('ingests in each mode, byte for byte', async () => {
    const answer = await ask(`
data = pa.table({'k': pa.array([1, 2, 3], pa.int16()), 'v': pa.array(['x', None, 'x']).dictionary_encode()})
with sql.cursor() as cursor:
    counts = [cursor.adbc_ingest('loaded', data, mode=mode) for mode in ('create', 'append', 'replace', 'create_append')]
    counts.append(cursor.adbc_ingest('loaded-new', data.to_batches()[0], mode='create_append'))
back = state['client'].do_get(fl.Ticket(b'loaded@1')).read_all()
answer = [counts, back.equals(data)]
`);
    assert.deepEqual(answer, [[3, 3, 3, 3, 3], true]);
    const modes = harness.frames.targets
      .filter(({ name }) => name?.startsWith('loaded'))
      .map(({ mode }) => mode);
    assert.deepEqual(modes, ['create', 'append', 'replace', 'append', 'create']);
  });

  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['into a table that exists', `cursor.adbc_ingest('prices', table(), mode='create')`, /exists/],
    ['after a table that is not there', `cursor.adbc_ingest('absent', table(), mode='append')`, /no frame/],
    ['a temporary table', `cursor.adbc_ingest('t', table(), temporary=True)`, /no temporary tables/],
    ['into another schema', `cursor.adbc_ingest('t', table(), db_schema_name='other')`, /framehold\.main/],
    ['into another catalog', `cursor.adbc_ingest('t', table(), catalog_name='other')`, /framehold\.main/],
    ['into no valid name', `cursor.adbc_ingest('a b', table())`, /not a valid name/],
  ];
  for (const [what, code, message] of refusals) {
    it(`refuses to ingest ${what}, and leaves nothing`, async () => {
      const committed = harness.frames.counts.committed;
      assert.match(await fails(`cursor = sql.cursor()\n${code}`), message);
      assert.equal(harness.frames.counts.committed, committed);
    });
  }

  it('refuses transactions, and works without them', async () => {
    const answer = await harness.python.run(
      `
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    with dbapi.connect(input) as plain, plain.cursor() as cursor:
        cursor.execute('select 1')
        answer = [cursor.fetchone()[0], len(caught)]
`.replace(/^/, 'import warnings\nimport adbc_driver_flightsql.dbapi as dbapi\n'),
      harness.url,
    );
    assert.deepEqual(answer, [1, 1]);
  });

  it('says who it is', async () => {
    const answer = (await ask(`answer = sql.adbc_get_info()`)) as Record<string, unknown>;
    assert.equal(answer.vendor_name, 'Framehold');
    assert.equal(answer.vendor_version, '9.8.7');
  });

  it('gives the schema of a table, and its types of tables', async () => {
    const answer = await ask(`
found = sql.adbc_get_table_schema('prices')
answer = [found.equals(table().schema), sql.adbc_get_table_types()]
`);
    assert.deepEqual(answer, [true, ['TABLE']]);
  });

  it('shows types that are ways of storing as what a query gives for them', async () => {
    const answer = await ask(`
inner = pa.array([{'v': 'x'}], pa.struct([pa.field('v', pa.string_view())]))
odd = pa.table({
  'v': pa.array(['x'], pa.string_view()), 'b': pa.array([b'x'], pa.binary_view()), 'l': pa.array([[1]], pa.list_view(pa.int8())),
  'r': pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array(['a'])), 'd': pa.array([1], pa.decimal32(5, 2)),
  'f': pa.array([1.0], pa.float16()), 's': inner, 'k': pa.array(['x'], pa.large_string()),
})
put(state['client'], path('odd'), odd)
answer = [str(each.type) for each in sql.adbc_get_table_schema('odd')]
`);
    const types = ['string', 'binary', 'list<item: int8>', 'string', 'decimal128(5, 2)', 'float'];
    assert.deepEqual(answer, [...types, 'struct<v: string>', 'large_string']);
  });

  it('lists what there is, down to columns', async () => {
    const answer = await ask(`
put(state['client'], path('under_score'), table())
put(state['client'], path('underXscore'), table())
def objects(**wanted):
    found = sql.adbc_get_objects(**wanted).read_all().to_pylist()
    return [[c['catalog_name'], s['db_schema_name'], t['table_name'], [each['column_name'] for each in t['table_columns'] or []]]
        for c in found for s in c['catalog_db_schemas'] or [] for t in s['db_schema_tables'] or []]
answer = [
    objects(table_name_filter='PRI%'),
    sorted(each[2] for each in objects(depth='tables', table_name_filter='under_score')),
    [each[2] for each in objects(depth='tables', table_name_filter='under\\\\_score')],
    objects(table_name_filter='select * from prices'),
    objects(catalog_filter='other'),
    objects(db_schema_filter='m_in', table_name_filter='prices', depth='tables'),
]
`);
    assert.deepEqual(answer, [
      [['framehold', 'main', 'prices', ['a', 's']]],
      ['underXscore', 'under_score'],
      ['under_score'],
      [],
      [],
      [['framehold', 'main', 'prices', []]],
    ]);
  });

  it('stops a query that its reader leaves', async () => {
    const released = sql.released;
    await ask(`
cursor = sql.cursor()
cursor.execute("select a, range from prices, range(20) /* slow */")
cursor.fetch_record_batch().read_next_batch()
cursor.adbc_cancel()
cursor.close()
`);
    await eventually('the query is released', () => sql.released === released + 1);
  });
});
