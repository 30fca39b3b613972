/** tsdb(): live tables of the real external database beside held frames, in one statement. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { runPython } from '../../server/test/support/python.ts';
import {
  type Questdb,
  questdbExec,
  questdbRows,
  useQuestdb,
} from '../../server/test/support/questdb-process.ts';
import { Toxiproxy } from '../../server/test/support/toxiproxy-process.ts';
import { postSql, sqlTable } from './sql-client.ts';

const rows = inLongRun(5_000_000, 200_000);

const putFrame = `
import json, sys
import numpy as np, pyarrow as pa, pyarrow.flight as flight
given = json.load(sys.stdin)
client = flight.connect(given['url'])
ids = np.arange(given['rows'])
table = pa.table({'id': ids, 'device': ids % 1000, 'value': (ids * 7919) % 10007})
writer, _ = client.do_put(flight.FlightDescriptor.for_path('readings'), table.schema)
writer.write_table(table, max_chunksize=500_000)
writer.close()
union = pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(['a', 'b', 'c'])])
table = pa.table({'id': pa.array([1, 2, 3]), 'odd': union, 'name': ['x', 'y', 'z']})
writer, _ = client.do_put(flight.FlightDescriptor.for_path('partly'), table.schema)
writer.write_table(table)
writer.close()
print('null')
`;

let questdb: Questdb;
let framehold: Framehold;
let proxy: Toxiproxy;

before(async () => {
  questdb = await useQuestdb();
  proxy = await Toxiproxy.start();
  await questdbExec(
    questdb.url,
    "create table e2e_devices as (select (x - 1)::int device, case when x % 3 = 0 then null else 's' || x % 10 end site, " +
      'case when x % 2 = 0 then null else x end limit_long, timestamp_sequence(0, 1000000L) t from long_sequence(1000)) timestamp(t) partition by day',
  );
  await questdbRows(questdb.url, 'e2e_devices', 1_000);
  framehold = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: questdb.url } });
  await runPython(['-c', putFrame], { url: framehold.grpcUrl, rows });
});
after(async () => {
  await framehold.remove();
  await proxy.stop();
  await questdbExec(questdb.url, 'drop table if exists e2e_devices');
  await questdb.stop();
});

function problem(text: string): { code: string; detail: string } {
  return JSON.parse(text) as { code: string; detail: string };
}

function leftBehind(): string[] {
  return framehold.temporaryFiles().filter((name) => name.endsWith('.parquet') || name.endsWith('.staged'));
}

describe('tsdb()', () => {
  it('joins a held frame with a live table, with the nulls of the database as nulls', async () => {
    const { dataset } = await sqlTable(
      framehold.url,
      `select count(*) n, count(site) sites, count(limit_long) limits, sum(value) s, sum(case when site is null then value end) unsited,
         sum(limit_long) l
       from readings join tsdb('select * from e2e_devices') d using (device)`,
    );
    const expected = { n: 0, sites: 0, limits: 0, s: 0, unsited: 0, l: 0 };
    for (let id = 0; id < rows; id++) {
      const x = (id % 1000) + 1;
      const value = (id * 7919) % 10007;
      expected.n += 1;
      expected.s += value;
      if (x % 3 === 0) expected.unsited += value;
      else expected.sites += 1;
      if (x % 2 !== 0) {
        expected.limits += 1;
        expected.l += x;
      }
    }
    assert.deepEqual((dataset[0] as unknown[]).map(Number), Object.values(expected));
    // What was fetched goes when the statement has been put away, a moment after its last row.
    await framehold.until('nothing left behind', () => (leftBehind().length === 0 ? true : null));
  });

  it('compares its times with those of SQL', async () => {
    const { dataset } = await sqlTable(
      framehold.url,
      `select count(*) from tsdb('select * from e2e_devices') where t < timestamp '1970-01-01 00:00:10'`,
    );
    assert.deepEqual(dataset, [[10]]);
  });

  it('the same text twice is fetched once', async () => {
    const fake = await FakeUpstream.start(({ head, socket }) => {
      const target = head.split(' ')[1] as string;
      fetch(questdb.url + target).then(async (answer) => {
        const body = Buffer.from(await answer.arrayBuffer());
        socket.write(
          `HTTP/1.1 ${answer.status} X\r\nContent-Type: ${answer.headers.get('content-type')}\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.write(body);
      });
    });
    const other = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: fake.url } });
    try {
      const { dataset } = await sqlTable(
        other.url,
        `select count(*) from tsdb('select 1 a') x, tsdb('select 1 a') y, tsdb('select 2 a') z`,
      );
      assert.deepEqual(dataset, [[1]]);
      const exports = fake.seen.filter(({ head }) => head.startsWith('GET /exp'));
      assert.equal(exports.length, 2);
    } finally {
      await other.remove();
      await fake.stop();
    }
  });

  it("an error of the database is reported in the database's words", async () => {
    const answer = await postSql(framehold.url, `select * from tsdb('select nosuch from e2e_devices')`);
    assert.equal(answer.status, 400);
    assert.equal(problem(answer.text).code, 'sql_invalid');
    assert.match(problem(answer.text).detail, /Invalid column: nosuch \(position 7 of its text\)/);
  });

  it('what is not one SELECT is refused', async () => {
    const answer = await postSql(framehold.url, `select * from tsdb('drop table e2e_devices')`);
    assert.equal(answer.status, 403);
    assert.equal(problem(answer.text).code, 'sql_refused');
    await questdbRows(questdb.url, 'e2e_devices', 1_000);
  });

  it('without a database: the error of /exec', async () => {
    const other = await Framehold.start();
    try {
      const sql = await postSql(other.url, `select * from tsdb('select 1')`);
      const exec = await fetch(`${other.url}/exec?query=select%201&fmt=json`);
      const expected = (await exec.json()) as { detail: string; hint: string };
      assert.equal(sql.status, 412);
      const { detail, hint } = JSON.parse(sql.text) as { detail: string; hint: string };
      assert.deepEqual({ detail, hint }, { detail: expected.detail, hint: expected.hint });
    } finally {
      await other.remove();
    }
  });

  it('a redirect is not followed, and credentials are never shown', async () => {
    const fake = await FakeUpstream.start(({ socket }) =>
      socket.write(`HTTP/1.1 302 Found\r\nLocation: ${questdb.url}/\r\nContent-Length: 0\r\n\r\n`),
    );
    const url = fake.url.replace('http://', 'http://reader:open-sesame@');
    const other = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: url } });
    try {
      const answer = await postSql(other.url, `select * from tsdb('select 1')`);
      assert.equal(answer.status, 502);
      assert.equal(problem(answer.text).code, 'tsdb_failed');
      assert.doesNotMatch(answer.text, /sesame|reader/);
      assert.equal(fake.seen.length, 1);
    } finally {
      await other.remove();
      await fake.stop();
    }
  });

  it('a connection that is cut is an error, and leaves nothing', async () => {
    const passage = await proxy.before(questdb.url);
    await passage.poison({ type: 'limit_data', attributes: { bytes: 4_000 } });
    const other = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: passage.url } });
    try {
      const answer = await postSql(
        other.url,
        `select count(*) from tsdb('select x, rnd_str(20,20,0) s from long_sequence(100000)')`,
      );
      assert.equal(answer.status, 502);
      assert.equal(problem(answer.text).code, 'tsdb_failed');
    } finally {
      await other.remove();
    }
  });
});

describe('a frame with a column that Parquet cannot hold', () => {
  it('is read by SQL without it', async () => {
    const { dataset } = await sqlTable(framehold.url, 'select id, name from partly order by id');
    assert.deepEqual(dataset, [
      [1, 'x'],
      [2, 'y'],
      [3, 'z'],
    ]);
    const answer = await postSql(framehold.url, 'select odd from partly');
    assert.equal(answer.status, 422);
    assert.equal(problem(answer.text).code, 'column_not_readable');
  });
});
