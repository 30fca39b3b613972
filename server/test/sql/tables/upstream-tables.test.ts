/** What tsdb() fetches, out of the real database. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { WorkerCodec } from '../../../src/compose/codec/worker-codec.ts';
import { AccessGuard } from '../../../src/frames/access/access-guard.ts';
import { Audit } from '../../../src/frames/access/audit.ts';
import { DiskBudget } from '../../../src/frames/limits/disk-budget.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import { Admission } from '../../../src/model/limits/admission.ts';
import { type UpstreamTable, UpstreamTables } from '../../../src/sql/tables/upstream-tables.ts';
import { DiskStore } from '../../../src/store/disk-store.ts';
import { TsdbClient } from '../../../src/upstream/tsdb-client.ts';
import { FakeUpstream } from '../../support/fake-upstream.ts';
import { eventually } from '../../support/patience.ts';
import { runPython } from '../../support/python.ts';
import { type Questdb, questdbExec, questdbRows, useQuestdb } from '../../support/questdb-process.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { Toxiproxy } from '../../support/toxiproxy-process.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('upstream-tables');
const scratch = [join(folder, 'tmp'), join(folder, 'cold', '.tmp')];

let questdb: Questdb;
let store: DiskStore;
let codec: WorkerCodec;
const clients: TsdbClient[] = [];
const puts = new Admission({ what: 'puts', max: 2, queueMax: 2, waitMs: 60_000 });

interface TablesOptions {
  readonly url?: string | null;
  readonly bodyBytesMax?: number;
  readonly reserveBytes?: number;
}

function tables({
  url = questdb.url,
  bodyBytesMax = 1e9,
  reserveBytes = 0,
}: TablesOptions = {}): UpstreamTables {
  const client =
    url === null
      ? null
      : new TsdbClient({
          url,
          authorization: null,
          timeoutMs: 20_000,
          connectionsMax: 2,
          urlBytesMax: 32_209,
        });
  if (client !== null) clients.push(client);
  const diskBudget = new DiskBudget(
    store.staging,
    () => reserveBytes,
    () => {},
  );
  return new UpstreamTables(
    { upstream: client, store, codec, diskBudget, puts, access: new AccessGuard(new Audit(() => {})) },
    bodyBytesMax,
  );
}

const everyType =
  'id int, bo boolean, by byte, sh short, i int, l long, f float, d double, c char, sy symbol, st string, va varchar, ' +
  'da date, ts timestamp, tn timestamp_ns, u uuid, l256 long256, ip ipv4, g1 geohash(1c), g4 geohash(4c), g12 geohash(12c), ' +
  'g7 geohash(7b), bi binary, arr double[], arr2 double[][], de decimal(10,2), de38 decimal(38,10), de2 decimal(2,0), ' +
  'de76 decimal(76,5), t timestamp';
const valued = [
  "1, true, 5, 300, -2147483647, 9223372036854775807, 1.5, 0.1, 'x', 'sym', 'str', 'short', to_date('2020-01-02','yyyy-MM-dd'), " +
    "'2020-01-02T03:04:05.123456Z', '2020-01-02T03:04:05.123456789Z', '11111111-2222-3333-4444-555555555555', '0x01020304', " +
    "'1.2.3.4', #u, #u33d, #u33d8b1u33d8, ##0101011, rnd_bin(4,4,0), ARRAY[1.0,2.5,null], ARRAY[[1.0,2.0],[3.0,4.0]], " +
    "'12345678.90'::decimal(10,2), '1.5'::decimal(38,10), '15'::decimal(2,0), '1.5'::decimal(76,5), '2020-01-01T00:00:00.000001Z'",
];
/** Random values, a third of them null if the type has nulls; times that only the table's own order distinguishes. */
const random =
  'rnd_boolean() bo, rnd_byte() by, rnd_short() sh, rnd_int(-5,5,3) i, rnd_long(-5,5,3) l, rnd_float(3) f, rnd_double(3) d, ' +
  "rnd_char() c, rnd_symbol('a','b',null) sy, rnd_str('x','yy',null) st, rnd_varchar(1,5,3) va, rnd_varchar(1,40,3) vl, " +
  "rnd_date(to_date('2015','yyyy'),to_date('2016','yyyy'),3) da, rnd_timestamp(to_timestamp('2015','yyyy'),to_timestamp('2016','yyyy'),3) ts, " +
  "rnd_uuid4(3) u, rnd_long256(3) l256, rnd_ipv4('1.1.1.1/8',3) ip, rnd_geohash(5) g1, rnd_geohash(60) g12, rnd_geohash(7) g7, " +
  'rnd_bin(3,5,3) bi, rnd_double_array(1,3) ar, timestamp_sequence(0,1000000L) t';

before(async () => {
  questdb = await useQuestdb();
  store = await DiskStore.open(folder, join(folder, 'cold'));
  codec = new WorkerCodec({
    checkThreads: 1,
    decodeThreads: 1,
    transcodeThreads: 1,
    limits: { batchBytesMax: 1e9, timeMs: 30_000 },
    decodeMemoryBytesMax: 2 * 1024 ** 3,
    compression: { algorithm: 'zstd', level: 3 },
  });
  const { url } = questdb;
  await questdbExec(url, `create table tsdb_types (${everyType}) timestamp(t) partition by day`);
  for (const row of valued) await questdbExec(url, `insert into tsdb_types values (${row})`);
  await questdbExec(url, "insert into tsdb_types (id, t) values (2, '2020-01-01T00:00:00.000002Z')");
  await questdbExec(
    url,
    "insert into tsdb_types (id, i, l, st, va, sy, arr, t) values (3, 0, 0, '', '', '', ARRAY[]::double[], '2020-01-01T00:00:00.000003Z')",
  );
  await questdbExec(
    url,
    `create table tsdb_random as (select ${random} from long_sequence(3000)) timestamp(t) partition by hour`,
  );
  await questdbExec(
    url,
    'create table tsdb_short (id int, va varchar, t timestamp) timestamp(t) partition by day',
  );
  await questdbExec(url, "insert into tsdb_short values (1,'a',1),(2,null,2),(3,'',3),(4,'b',4)");
  await questdbRows(url, 'tsdb_types', 3);
  await questdbRows(url, 'tsdb_random', 3_000);
  await questdbRows(url, 'tsdb_short', 4);
});
after(async () => {
  for (const client of clients) await client.close();
  for (const name of ['types', 'random', 'short'])
    await questdbExec(questdb.url, `drop table if exists tsdb_${name}`);
  await codec.close();
  await store.close();
  await questdb.stop();
  removeFolder(folder);
});

function scratchFiles(): string[] {
  return scratch.flatMap((directory) => readdirSync(directory));
}

interface Comparison {
  readonly faults: readonly string[];
  readonly rows: number;
  readonly types: Readonly<Record<string, string>>;
}

function fieldsOf({ schemaMessage }: UpstreamTable) {
  const message = parseMessage(schemaMessage);
  assert.equal(message.kind, 'schema');
  return message.kind === 'schema' ? message.schema.fields : [];
}

async function refusal(work: Promise<unknown>): Promise<FrameholdError> {
  return await work.then(
    () => assert.fail('not refused'),
    (error: FrameholdError) => error,
  );
}

describe('rows of the external database', () => {
  const queries = [
    'select * from tsdb_types',
    'select * from tsdb_random',
    "select va, 'q'::varchar q, id + 1 j from tsdb_short",
    'select sy, max(va) m, first(ip) ip, last(c) c, count() from tsdb_random order by sy',
    'with a as (select * from tsdb_random) select a.va, b.va vb, a.c from a join tsdb_random b on a.u = b.u -- all of them',
    "select null n, interval(1, 2) iv, 'x' one, 'xy' two, '' none;",
    '(select va from tsdb_short) union all (select st from tsdb_random)',
  ];
  const fetched: UpstreamTable[] = [];
  let comparisons: readonly Comparison[] = [];

  before(async () => {
    for (const query of queries) fetched.push(await tables().fetch(openCaller, query, never));
    const cases = queries.map((query, index) => ({ query, files: fetched[index]?.files }));
    const script = join(import.meta.dirname, 'compare-questdb.py');
    comparisons = (await runPython([script], { url: questdb.url, cases })) as Comparison[];
  });
  after(async () => {
    for (const table of fetched) await table.release();
  });

  for (const [index, query] of queries.entries()) {
    it(`equal what /exec shows: ${query.slice(0, 80)}`, () => {
      assert.deepEqual(comparisons[index]?.faults, []);
      assert.equal(comparisons[index]?.rows, fetched[index]?.rows);
    });
  }

  for (const index of [0, 4, 5]) {
    it(`are described by the same columns, without rows: ${queries[index]?.slice(0, 60)}`, async () => {
      const described = await tables().describe(openCaller, queries[index] as string, never);
      assert.deepEqual(fieldsOf(described), fieldsOf(fetched[index] as UpstreamTable));
      assert.equal(described.rows, 0);
      await described.release();
    });
  }

  it('have these types', () => {
    assert.deepEqual(comparisons[0]?.types, {
      id: 'int32',
      bo: 'bool',
      by: 'int8',
      sh: 'int16',
      i: 'int32',
      l: 'int64',
      f: 'float',
      d: 'double',
      c: 'string',
      sy: 'string',
      st: 'string',
      va: 'string',
      da: 'timestamp[ms, tz=UTC]',
      ts: 'timestamp[us, tz=UTC]',
      tn: 'timestamp[ns]',
      u: 'string',
      l256: 'string',
      ip: 'string',
      g1: 'string',
      g4: 'string',
      g12: 'string',
      g7: 'string',
      bi: 'binary',
      arr: 'list<element: double>',
      arr2: 'list<list: list<element: double> not null>',
      de: 'decimal128(10, 2)',
      de38: 'decimal128(38, 10)',
      de2: 'decimal128(2, 0)',
      de76: 'decimal256(76, 5)',
      t: 'timestamp[us, tz=UTC]',
    });
  });
});

describe('files of rows', () => {
  it('are in files that a start would sweep, and that release removes', async () => {
    const table = await tables().fetch(openCaller, 'select * from tsdb_short', never);
    for (const file of table.files) assert.equal(dirname(file), scratch[1]);
    assert.equal(scratchFiles().length, table.files.length);
    await table.release();
    await table.release();
    assert.deepEqual(scratchFiles(), []);
    assert.equal(puts.running, 0);
  });
});

describe('what is refused leaves nothing behind', () => {
  it('no database configured → the error of /exec', async () => {
    const error = await refusal(tables({ url: null }).fetch(openCaller, 'select 1', never));
    assert.equal(error.kind, 'tsdb_not_configured');
  });

  it("a query that the database does not take → sql_invalid, with the database's position in the text", async () => {
    const error = await refusal(tables().fetch(openCaller, 'select id, nosuch from tsdb_short', never));
    assert.equal(error.kind, 'sql_invalid');
    assert.match(error.message, /Invalid column: nosuch \(position 11 of its text\)/);
    assert.deepEqual(scratchFiles(), []);
  });

  it('an answer larger than a body may be → body_too_large', async () => {
    const small = tables({ bodyBytesMax: 10_000 });
    const error = await refusal(small.fetch(openCaller, 'select * from tsdb_random', never));
    assert.equal(error.kind, 'body_too_large');
    assert.deepEqual(scratchFiles(), []);
  });

  it('a disk without room above the reserve → disk_full', async () => {
    const error = await refusal(tables({ reserveBytes: 1e18 }).fetch(openCaller, 'select 1', never));
    assert.equal(error.kind, 'disk_full');
    assert.equal(puts.running, 0);
  });

  it('bytes that are no Parquet → tsdb_failed', async () => {
    const json = JSON.stringify({ columns: [{ name: 'a', type: 'INT' }] });
    const fake = await FakeUpstream.start(({ head, socket }) => {
      const isExec = head.startsWith('GET /exec');
      const body = isExec ? json : 'PAR1 but not for long';
      const type = isExec ? 'application/json' : 'application/vnd.apache.parquet';
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    const error = await refusal(tables({ url: fake.url }).fetch(openCaller, 'select 1', never));
    await fake.stop();
    assert.equal(error.kind, 'tsdb_failed');
    assert.deepEqual(scratchFiles(), []);
  });

  it('a connection cut in mid-body → tsdb_failed', async () => {
    const proxy = await Toxiproxy.start();
    try {
      const passage = await proxy.before(questdb.url);
      await passage.poison({ type: 'limit_data', attributes: { bytes: 50_000 } });
      const error = await refusal(
        tables({ url: passage.url }).fetch(openCaller, 'select * from tsdb_random', never),
      );
      assert.equal(error.kind, 'tsdb_failed');
      assert.deepEqual(scratchFiles(), []);
    } finally {
      await proxy.stop();
    }
  });

  it('a caller that goes away', async () => {
    const abort = new AbortController();
    const fetched = tables().fetch(
      openCaller,
      'select a.va from tsdb_random a cross join tsdb_random b',
      abort.signal,
    );
    const refused = refusal(fetched);
    await eventually('the database works on it', async () => {
      const activity = await questdbExec(questdb.url, 'select query from query_activity()');
      const { dataset } = activity as { dataset: [string][] };
      return dataset.some(([query]) => query.includes('cross join tsdb_random'));
    });
    abort.abort();
    assert.equal((await refused).name, 'AbortError');
    assert.deepEqual(scratchFiles(), []);
    assert.equal(puts.running, 0);
  });

  const hostile = [
    'insert into tsdb_short values (9, null, 9)',
    'drop table tsdb_short',
    'update tsdb_short set id = 9',
    'alter table tsdb_short add column x int',
    'truncate table tsdb_short',
    'rename table tsdb_short to tsdb_gone',
    "copy tsdb_short to 'file' with format parquet",
    'select 1; drop table tsdb_short',
    'select 1\n); drop table tsdb_short; select * from (select 1',
    'with x as (select 9 id) update tsdb_short set id = x.id from x',
    'with x as (select 9 id) insert into tsdb_short select id, null, 9 from x',
    '(drop table tsdb_short)',
    'select * from (drop table tsdb_short)',
    'select * from (insert into tsdb_short values (9, null, 9))',
    'with x as (drop table tsdb_short) select * from x',
    'select 1 union drop table tsdb_short',
    '-- select\ndrop table tsdb_short',
    '/* select */ rename table tsdb_short to tsdb_gone',
  ];
  for (const query of hostile) {
    it(`and changes nothing in the database: ${JSON.stringify(query)}`, async () => {
      const { kind } = await refusal(tables().fetch(openCaller, query, never));
      assert.ok(kind === 'sql_refused' || kind === 'sql_invalid', kind);
      const { dataset, columns } = (await questdbExec(questdb.url, 'select * from tsdb_short')) as {
        dataset: unknown[][];
        columns: unknown[];
      };
      assert.equal(columns.length, 3);
      assert.deepEqual(
        dataset.map(([id]) => id),
        [1, 2, 3, 4],
      );
      assert.ok(!existsSync(join(folder, 'file')));
    });
  }
});
