/** Bytes that change between a node and its bucket, while what is in the bucket stays as it is. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import {
  appendNumbers,
  askNumbers,
  readNumbers,
  writeNumbers,
} from '../../server/test/support/cluster/numbers.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { assertProblem, getText, type TextAnswer } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { S3FaultProxy } from '../../server/test/support/s3-fault-proxy.ts';

/** 200 kB as Arrow. */
const numbers = Array.from({ length: 25_000 }, (_, index) => (index * 7_919) % 25_013);
const sum = numbers.reduce((one, other) => one + other, 0);
/** Together more than the cache of the reading node holds. */
const many = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];
/** The reading node has no copy of these. */
const others = ['one', 'other', 'pair', 'lost', 'spare'];

let cluster: Cluster;
let proxy: S3FaultProxy;
/** The one that writes, and has copies; the one that reads. */
let writing: string;
let reading: string;

before(async () => {
  cluster = await Cluster.prepare({
    // Nothing is answered from memory.
    settings: {
      'cache-rendered-bytes-max': '0',
      'sql-answers-bytes-max': '0',
      'jobs-garbage-delay-ms': '500',
      'jobs-sweep-interval-ms': '500',
    },
    s3Endpoint: async (url) => {
      proxy = await S3FaultProxy.start(url);
      return proxy.endpoint;
    },
  });
  const [writer, reader] = [
    await cluster.addNode(),
    await cluster.addNode({ settings: { 'cache-size': '0.001', 'transcode-threads': '0' } }),
  ];
  await writer.start();
  await Promise.all([cluster.makeCredential(), reader.start()]);
  [writing, reading] = [writer.url, reader.url];
  const names = [...many, ...others];
  await Promise.all(names.map((name) => writeNumbers(writing, name, numbers)));
  await transcoded(names.length);
});
afterEach(() => proxy?.heal());
after(async () => {
  await cluster?.remove();
  await proxy?.stop();
});

/** So many parts have both forms. */
async function transcoded(parts: number): Promise<void> {
  const both = 'SELECT count(*)::int AS parts FROM parts WHERE arrow_bytes > 0 AND parquet_exact = 1';
  await eventually(`${parts} parts are transcoded`, async () => {
    const [row] = await cluster.query<{ parts: number }>(both);
    return row?.parts === parts;
  });
}

const damagedKeys = async () =>
  (await cluster.query<{ key: string }>('SELECT key FROM damaged ORDER BY key')).map(({ key }) => key);
const removedCount = async () => (await cluster.query('SELECT key FROM removed_objects')).length;
/** What holds rows; the bucket's identity and pieces of files come and go. */
const objects = async () =>
  (await cluster.query<{ key: string }>('SELECT key FROM objects ORDER BY key')).map(({ key }) => key);

async function keyOf(name: string, kind: 'arrow' | 'parquet'): Promise<string> {
  const [row] = await cluster.query<{ key: string }>(
    `SELECT o.key FROM objects o JOIN parts p ON p.id = o.part JOIN names n ON n.id = p.name_id
    WHERE n.name = '${name}' AND o.kind = '${kind}'`,
  );
  return row?.key ?? '';
}

/** Always in the same way, so that nothing tells it from damage in the bucket. */
function spoilAlways(keys: readonly string[]): void {
  const matches = (path: string) => keys.some((key) => path.includes(key));
  proxy.spoilBodies({ share: 1, kinds: ['flip'], random: () => 0.5, matches });
}

/** Every way to read a frame over HTTP, with what its answer must contain. */
const ways: Readonly<Record<string, (name: string) => Promise<TextAnswer>>> = {
  rows: (name) => askNumbers(reading, name),
  arrow: (name) => getText(`${reading}/v1/frames/${name}/rows?fmt=arrow`),
  exec: (name) => getText(`${reading}/exec?handle=${name}&fmt=json&limit=30000`),
  exp: (name) => getText(`${reading}/exp?handle=${name}&fmt=ndjson`),
  parquet: (name) => getText(`${reading}/exp?handle=${name}&fmt=parquet`),
  file: (name) => getText(`${reading}/v1/files/${name}@1.parquet`),
  statistics: (name) => getText(`${reading}/v1/frames/${name}/statistics`),
  sql: (name) => statement(`select sum(n)::bigint as s from ${name}`),
  into: (name) => statement(`select * from ${name}`, `&into=copy_${name}`),
};

function statement(text: string, parameters = ''): Promise<TextAnswer> {
  return getText(`${reading}/v1/sql?fmt=csv${parameters}`, {
    method: 'POST',
    headers: { 'content-type': 'application/sql' },
    body: text,
  });
}

test('one byte flipped in 30 % of all bodies: no damage is recorded, nothing is removed, and nobody gets internal', async (t) => {
  const before = await objects();
  proxy.spoilBodies({ share: 0.3, kinds: ['flip'] });
  const outcomes = new Map<string, number>();
  const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  for (const [way, ask] of Object.entries(ways)) {
    const answers = await Promise.all(many.map((name) => ask(name).catch(() => null)));
    for (const [index, answer] of answers.entries()) {
      if (answer === null || answer.status < 300) {
        count(answer === null ? 'cut off' : 'answered');
        if (way === 'rows' && answer !== null) assert.equal(answer.text.split('\r\n').length, 25_002);
        if (way === 'sql' && answer !== null) assert.equal(answer.text, `s\r\n${sum}\r\n`);
        continue;
      }
      const { code } = JSON.parse(answer.text) as { code: string };
      count(code);
      const isExpected = ['unavailable', 'file_not_ready', 'frame_damaged', 'overloaded'].includes(code);
      assert.ok(isExpected, `${way} of ${many[index]}: ${answer.text}`);
    }
  }
  const flight = (await flightPython(
    cluster.node(1).grpcUrl,
    `result = [fails(lambda: get(name)) for name in given]`,
    many,
  )) as ({ text: string } | null)[];
  for (const failure of flight) {
    count(failure === null ? 'answered' : 'a failed call');
    assert.doesNotMatch(failure?.text ?? '', /unexpected fault/);
  }
  t.diagnostic(`${proxy.spoiledBodies} bodies were flipped; ${JSON.stringify([...outcomes])}`);
  assert.ok(proxy.spoiledBodies > 3);
  proxy.heal();
  for (const name of many) assert.deepEqual(await readNumbers(reading, name), numbers);
  assert.deepEqual(await damagedKeys(), []);
  assert.equal(await removedCount(), 0);
  const now = new Set(await objects());
  assert.deepEqual(
    before.filter((key) => !now.has(key)),
    [],
  );
});

test('one form arrives damaged: reads use the other, and both stay in the bucket', async () => {
  const [arrow, parquet] = [await keyOf('one', 'arrow'), await keyOf('other', 'parquet')];
  spoilAlways([arrow, parquet]);
  assert.deepEqual(await readNumbers(reading, 'one'), numbers);
  const answer = await statement('select sum(n)::bigint as s from other');
  assert.equal(answer.text, `s\r\n${sum}\r\n`, 'its Parquet form was made again');
  assert.deepEqual(await damagedKeys(), [arrow, parquet].sort());
  const keys = await cluster.objectKeys();
  for (const key of [arrow, parquet]) assert.ok(keys.includes(`frames/${key}`), `${key} is in the bucket`);
  assert.notEqual(await keyOf('other', 'parquet'), parquet);
});

test('both forms arrive damaged: frame_damaged everywhere, and readable again once the fault has ended', async () => {
  const keys = [await keyOf('pair', 'arrow'), await keyOf('pair', 'parquet')];
  spoilAlways(keys);
  for (const [way, ask] of Object.entries(ways)) {
    const { code } = assertProblem(await ask('pair'), 500);
    assert.equal(code, 'frame_damaged', way);
  }
  const flight = (await flightPython(cluster.node(1).grpcUrl, `result = fails(lambda: get('pair'))`)) as {
    text: string;
  };
  assert.match(flight.text, /pair@1.*not those that were put/);
  for (const key of keys) assert.ok((await damagedKeys()).includes(key));
  proxy.heal();
  // Another node has not read them: it does before it refuses.
  assert.deepEqual(await readNumbers(writing, 'pair'), numbers);
  assert.deepEqual(await readNumbers(reading, 'pair'), numbers);
  assert.ok(!(await damagedKeys()).includes(keys[0] ?? ''), 'its Arrow form is sound again');
});

test('a run of small parts of which one arrives damaged is frame_damaged for SQL', async () => {
  await writeNumbers(writing, 'small', [1]);
  for (let part = 2; part <= 4; part++) await appendNumbers(writing, 'small', [part]);
  const rows = await cluster.query<{ key: string }>(
    `SELECT o.key FROM objects o JOIN parts p ON p.id = o.part JOIN names n ON n.id = p.name_id
    WHERE n.name = 'small' AND p.seq = 2`,
  );
  spoilAlways(rows.map(({ key }) => key));
  for (let time = 1; time <= 2; time++)
    assertProblem(await statement('select sum(n)::bigint as s from small'), 500, 'frame_damaged');
  proxy.heal();
  assert.deepEqual(await readNumbers(writing, 'small'), [1, 2, 3, 4]);
  assert.equal((await statement('select sum(n)::bigint as s from small')).text, 's\r\n10\r\n');
});

test('what is damaged in the bucket is removed after a day, and only if the other form is sound there', async () => {
  const [alone, beside] = [await keyOf('lost', 'arrow'), await keyOf('spare', 'arrow')];
  const client = cluster.parts.s3.client();
  for (const key of [alone, beside, await keyOf('lost', 'parquet')])
    await client.send(
      new PutObjectCommand({ Bucket: cluster.bucket, Key: `frames/${key}`, Body: 'other bytes' }),
    );
  client.destroy();
  assert.deepEqual(await readNumbers(reading, 'spare'), numbers);
  // Reading it would find both forms: the review has to find that the second is no better.
  await cluster.query(`INSERT INTO damaged VALUES ('${alone}', 'wrong-size', 0)`);
  await cluster.query(`UPDATE damaged SET found_at = found_at - 86400000 WHERE key = '${beside}'`);
  const node = cluster.node(0);
  await node.stop();
  await node.start();
  await eventually('the damaged form has gone', async () => {
    const keys = await cluster.objectKeys();
    return !keys.includes(`frames/${beside}`);
  });
  assert.ok((await cluster.objectKeys()).includes(`frames/${alone}`), 'nothing else has the rows');
  assert.ok((await damagedKeys()).includes(await keyOf('lost', 'parquet')));
  assert.deepEqual(await readNumbers(reading, 'spare'), numbers);
  assert.equal(await removedCount(), 1);
});
