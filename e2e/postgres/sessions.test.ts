/** What the clients of `clients.ts` do not show: cursors and prepared statements in SQL, and which versions a transaction reads. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';

const run = promisify(execFile);
const trades =
  "create table trades as select i as id, concat('S', i % 3) as symbol, i * 0.5 as price from range(1000) t(i)";

let framehold: Framehold;
let port: string;

before(async () => {
  framehold = await Framehold.start({
    flags: ['--postgres-bind-address', '127.0.0.1:0', '--postgres-portal-idle-ms', '1000'],
  });
  port = framehold.postgresUrl.port;
  const answer = await fetch(`${framehold.url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: trades }),
  });
  assert.equal(answer.status, 201, await answer.text());
});

after(() => framehold.stop());

async function psql(...commands: readonly string[]): Promise<string> {
  const words = commands.flatMap((command) => ['-c', command]);
  const place = ['-X', '-At', '-h', '127.0.0.1', '-p', port, '-U', 'framehold', '-d', 'any'];
  const { stdout, stderr } = await run('psql', [...place, '-v', 'VERBOSITY=sqlstate', ...words]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  return stdout + stderr;
}

test('psql: several statements, COPY, cursors by FETCH_COUNT, transactions and errors', async () => {
  assert.equal(await psql('select 1, null, 2.50::decimal(5,2)'), '1||2.50\n');
  assert.equal(await psql('select 1; select 2'), '1\n2\n');
  assert.equal(await psql('begin', 'select count(*) from trades', 'commit'), 'BEGIN\n1000\nCOMMIT\n');
  const copied = await psql(
    'copy (select * from trades order by id limit 1) to stdout with (format csv, header)',
  );
  assert.equal(copied, 'id,symbol,price\n0,S0,0.0\n');
  assert.equal(await psql('begin; savepoint a; select nope; commit'), 'BEGIN\nSAVEPOINT\nERROR:  42703\n');
  const cursor = [
    'begin',
    'declare c cursor for select id from trades order by id',
    'fetch 2 from c',
    'move 3 in c',
  ];
  assert.equal(
    await psql(...cursor, 'fetch next from c', 'close c', 'rollback'),
    'BEGIN\nDECLARE CURSOR\n0\n1\nMOVE 3\n5\nCLOSE CURSOR\nROLLBACK\n',
  );
  assert.equal(await psql("set timezone = 'Asia/Tokyo'", 'show timezone'), 'SET\nAsia/Tokyo\n');
  assert.equal(await psql('prepare p as select $1::int + 1', 'execute p(41)'), 'PREPARE\n42\n');
  assert.equal(await psql('select * from absent'), 'ERROR:  42P01\n');
  assert.equal(await psql('drop table trades'), 'ERROR:  25006\n');
});

test('node pg: parameters, named statements, errors with their place', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'framehold', database: 'any' });
  await client.connect();
  try {
    const named = { name: 'few', text: 'select id, price from trades where id < $1 order by id' };
    const first = await client.query({ ...named, values: [1] });
    const second = await client.query({ ...named, values: [2] });
    assert.deepEqual(first.rows, [{ id: '0', price: '0.0' }]);
    assert.equal(second.rowCount, 2);
    await assert.rejects(client.query("select '😀', nope from trades"), {
      code: '42703',
      position: '13',
      routine: 'sql_invalid',
    });
  } finally {
    await client.end();
  }
});

test('REPEATABLE READ stays at the version that it has read first, READ COMMITTED does not', async () => {
  const change = async (sql: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sql }),
    });
    assert.ok(answer.ok, await answer.text());
  };
  await change('create table counted as select 1 as n');
  const place = { host: '127.0.0.1', port: Number(port), user: 'framehold', database: 'any' };
  const [fixed, newest] = [new pg.Client(place), new pg.Client(place)];
  await Promise.all([fixed.connect(), newest.connect()]);
  const count = async (client: pg.Client) =>
    String((await client.query('select count(*) as n from counted')).rows[0].n);
  try {
    await fixed.query('begin isolation level repeatable read');
    await newest.query('begin');
    assert.deepEqual([await count(fixed), await count(newest)], ['1', '1']);
    await change('insert into counted values (2)');
    assert.deepEqual([await count(fixed), await count(newest)], ['1', '2']);
    await fixed.query('commit');
    assert.equal(await count(fixed), '2');
  } finally {
    await Promise.all([fixed.end(), newest.end()]);
  }
});

test('rows that wait for longer than postgres.portal_idle_ms are given up, and the transaction goes on after ROLLBACK', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'framehold', database: 'any' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('declare c cursor for select range from range(10000000)');
    assert.equal((await client.query('fetch 2 from c')).rowCount, 2);
    await timePasses(1_500, 'the rows must wait for longer than they may');
    await assert.rejects(client.query('fetch 2 from c'), { code: '57014' });
    await client.query('rollback');
    assert.equal((await client.query('select 1')).rowCount, 1);
  } finally {
    await client.end();
  }
});
