import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { readNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { EventReader } from '../../server/test/support/event-reader.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { exec, getText } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';

/** PostgreSQL fails over to a copy that lacks its last transactions, and the numbers of versions and events that they had are given again. */
let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({ nodes: 2, ownParts: true, settings: { 'jobs-garbage-delay-ms': '0' } });
});
after(() => cluster?.remove());

/** Everything by which a caller may come back to what was read before. */
interface Remembered {
  readonly manifestTag: string;
  readonly rowsTag: string;
  readonly cursor: string;
  readonly ticket: string;
  readonly event: string;
}

const lost = [331, 332, 333];
const found = [997, 998, 999];

async function answersOf(url: string): Promise<unknown> {
  const table = await exec(url, { handle: 'q', fmt: 'json' });
  const sql = await getText(`${url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'select n from q order by n' }),
  });
  const pinned = await readNumbers(url, 'q@3');
  const file = await getText(`${url}/v1/files/q@3.parquet`, { headers: { range: 'bytes=0-3' } });
  const summary = await getText(`${url}/v1/frames/q@3/statistics`);
  const { columns } = JSON.parse(summary.text) as { columns: readonly { min: unknown }[] };
  return {
    table: JSON.parse(table.text).dataset,
    sql: JSON.parse(sql.text).dataset,
    pinned,
    file: file.text,
    least: columns[0]?.min,
  };
}

async function remember(url: string, grpcUrl: string): Promise<Remembered> {
  const manifest = await getText(`${url}/v1/frames/q`);
  const rows = await getText(`${url}/v1/frames/q/rows?fmt=csv&limit=1`);
  const ticket = await flightPython(
    grpcUrl,
    `result = client.get_flight_info(by_path('q')).endpoints[0].ticket.ticket.decode()`,
  );
  using events = await EventReader.open(url);
  await events.until('where it begins', ({ length }) => length > 0);
  return {
    manifestTag: manifest.headers.get('etag') ?? '',
    rowsTag: rows.headers.get('etag') ?? '',
    cursor: rows.headers.get('framehold-cursor') ?? '',
    ticket: String(ticket),
    event: events.lastPlace ?? '',
  };
}

/** A put that has begun, and whose last rows come when the test says so. */
async function heldPut(url: string, name: string, tag: string): Promise<() => Promise<number>> {
  const { writable, readable } = new TransformStream<Uint8Array, Uint8Array>();
  const headers = { 'content-type': 'text/csv', 'if-match': tag };
  const answer = fetch(`${url}/v1/frames/${name}`, {
    method: 'PUT',
    headers,
    body: readable,
    duplex: 'half',
  });
  const writer = writable.getWriter();
  // Enough bytes that the rest is waited for, in few rows: if they are stored all the same, tests compare them.
  await writer.write(Buffer.from(`n,filling\n${`1,${'x'.repeat(20_000)}\n`.repeat(10)}`));
  await eventually('the put has begun', async () =>
    /^framehold_puts_open\{state="running"\} 1$/m.test((await getText(`${url}/metrics`)).text),
  );
  return async () => {
    await writer.close();
    return (await answer).status;
  };
}

async function guardOf(url: string): Promise<string | undefined> {
  return /^framehold_store_guard (\d)$/m.exec((await getText(`${url}/metrics`)).text)?.[1];
}

const rowsOf = (numbers: readonly number[]) => ({
  table: numbers.map((n) => [n]),
  sql: numbers.map((n) => [n]),
  pinned: numbers,
  file: 'PAR1',
  least: String(numbers[0]),
});

test('what a lost history has left is never given for what the new one holds', async (t) => {
  const nodes = [cluster.node(0), cluster.node(1)];
  const [a, b] = nodes.map(({ url }) => url) as [string, string];
  await writeNumbers(a, 'q', [1]);
  await writeNumbers(a, 'q', [2]);
  await cluster.parts.postgres.keepCopy();
  assert.equal((await writeNumbers(a, 'q', lost)).version, 3);
  for (const { url } of nodes) assert.deepEqual(await answersOf(url), rowsOf(lost));
  const before = await Promise.all(nodes.map(({ url, grpcUrl }) => remember(url, grpcUrl)));
  using open = await EventReader.open(b);
  await open.until('where it begins', ({ length }) => length > 0);
  const finishPut = await heldPut(a, 'q', before[0]?.manifestTag ?? '');

  await cluster.parts.postgres.failOver();
  await eventually('the nodes answer again', async () => {
    const ready = await Promise.all(nodes.map(({ url }) => getText(`${url}/readyz`)));
    return ready.every(({ status }) => status === 200);
  });
  assert.equal((await writeNumbers(a, 'q', found)).version, 3);

  await t.test(
    'a put that began before the loss does not replace the version that has its number now',
    async () => {
      assert.equal(await finishPut(), 412);
    },
  );
  await t.test('the same version number has the new rows, in every form, on every node', async () => {
    for (const { url } of nodes) assert.deepEqual(await answersOf(url), rowsOf(found));
  });
  await t.test('an ETag of the lost version matches nothing', async () => {
    for (const [index, { url }] of nodes.entries()) {
      const { manifestTag, rowsTag } = before[index] as Remembered;
      const manifest = await getText(`${url}/v1/frames/q`, { headers: { 'if-none-match': manifestTag } });
      assert.equal(manifest.status, 200);
      assert.notEqual(manifest.headers.get('etag'), manifestTag);
      const rows = await getText(`${url}/v1/frames/q/rows?fmt=csv&limit=1`, {
        headers: { 'if-none-match': rowsTag },
      });
      assert.equal(rows.status, 200);
      await writeNumbers(url, 'q', [0], { headers: { 'if-match': manifestTag }, status: 412 });
    }
  });
  await t.test('a cursor and a ticket of the lost version are refused', async () => {
    for (const [index, { url, grpcUrl }] of nodes.entries()) {
      const { cursor, ticket } = before[index] as Remembered;
      const page = await getText(`${url}/v1/frames/q/rows?fmt=csv&cursor=${cursor}`);
      assert.equal(page.status, 410, page.text);
      assert.match(page.text, /another version with this number/);
      const refusal = await flightPython(grpcUrl, 'result = fails(lambda: get(given))', ticket);
      assert.match(JSON.stringify(refusal), /another version with this number/);
    }
  });
  await t.test('a stream of events begins anew', async () => {
    for (const [index, { url }] of nodes.entries()) {
      using events = await EventReader.open(url, { after: before[index]?.event ?? '' });
      await events.until('a reset', ([first]) => first?.kind === 'reset');
    }
    await open.until('a reset of the stream that was open', (events) =>
      events.some(({ kind }) => kind === 'reset'),
    );
  });
  await t.test('the loss is noticed, and nothing is removed until an operator accepts it', async () => {
    for (const { url } of nodes)
      await eventually('the alarm is raised', async () => (await guardOf(url)) === '1');
    await cluster.acceptRestore();
    for (const { url } of nodes)
      await eventually('the alarm is over', async () => (await guardOf(url)) === '0');
    await nodes[1]?.stop();
    await nodes[1]?.start();
    for (const { url } of nodes) assert.deepEqual(await answersOf(url), rowsOf(found));
  });
});
