/** The rows that were added after a version, at every door: also after the version has gone, and its last part was compacted with others. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { ask } from '../server/test/support/catalog-file.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { getText, send } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { runPython } from '../server/test/support/python.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({
    flags: [
      ...['--jobs-sweep-interval-ms', '200', '--frames-versions-keep', '100'],
      ...['--postgres-bind-address', '127.0.0.1:0'],
    ],
  });
});
after(() => framehold.remove());

const csv = (numbers: readonly number[]) =>
  `n,text\n${numbers.map((n) => `${n},${'abc'[n % 3]}\n`).join('')}`;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const rowsUrl = (handle: string, query = '') => `${framehold.url}/v1/frames/${handle}/rows?${query}`;

async function put(name: string, numbers: readonly number[], status = 201): Promise<void> {
  await send(framehold.url, `/v1/frames/${name}`, csv(numbers), { type: 'text/csv', status });
}

/** Version k + 1 has the numbers below 10 * (k + 1). */
async function appended(name: string, versions: number): Promise<void> {
  await put(name, range(0, 10));
  for (let version = 1; version < versions; version++)
    await send(framehold.url, `/v1/frames/${name}/rows`, csv(range(10 * version, 10 * version + 10)), {
      method: 'POST',
      type: 'text/csv',
      status: 200,
    });
}

async function numbersOf(handle: string, query = ''): Promise<readonly number[]> {
  const { status, text } = await getText(rowsUrl(handle, `fmt=csv&${query}`));
  assert.equal(status, 200, text);
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number.parseInt(line, 10));
}

async function query(sql: string): Promise<readonly (readonly unknown[])[]> {
  const { json } = await send(framehold.url, '/v1/sql', JSON.stringify({ sql }), {
    method: 'POST',
    type: 'application/json',
    status: 200,
  });
  return json.dataset as readonly (readonly unknown[])[];
}

async function refusal(answer: Promise<{ status: number; text: string }>) {
  const { status, text } = await answer;
  const { code, detail, hint } = JSON.parse(text) as Record<string, string>;
  return [status, code, `${detail} ${hint}`] as const;
}

describe('rows since a version', () => {
  test('are the same in every format', async () => {
    await appended('formats', 6);
    const { headers, text } = await getText(rowsUrl('formats@3..5', 'fmt=csv'));
    assert.equal(text.replaceAll('\r\n', '\n').replaceAll('"', ''), csv(range(30, 50)));
    assert.equal(headers.get('framehold-handle'), 'formats@3..5');
    assert.equal(headers.get('framehold-rows-total'), '20');
    const { text: json } = await getText(rowsUrl('formats@3..5', 'fmt=json'));
    const { dataset, count } = JSON.parse(json) as { dataset: unknown[][]; count: number };
    assert.deepEqual([count, dataset.map(([n]) => n)], [20, range(30, 50)]);
    const { text: lines } = await getText(rowsUrl('formats@3..5', 'fmt=ndjson'));
    assert.deepEqual(
      lines
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { n: number }).n),
      range(30, 50),
    );
    const read = await runPython(
      [
        '-c',
        `
import io, json, sys, urllib.request
import pyarrow as pa, pyarrow.parquet as pq
given = json.load(sys.stdin)
fetch = lambda fmt: io.BytesIO(urllib.request.urlopen(given['url'] + '&fmt=' + fmt).read())
print(json.dumps([pa.ipc.open_stream(fetch('arrow')).read_all()['n'].to_pylist(), pq.read_table(fetch('parquet'))['n'].to_pylist()]))
`,
      ],
      { url: rowsUrl('formats@3..5', 'limit=1000') },
    );
    assert.deepEqual(read, [range(30, 50), range(30, 50)]);
    const exported = await getText(`${framehold.url}/exp?handle=formats@5..&fmt=csv`);
    assert.equal(exported.headers.get('framehold-handle'), 'formats@5..6');
    const executed = await getText(`${framehold.url}/exec?handle=formats@0..1&fmt=json`);
    assert.equal((JSON.parse(executed.text) as { count: number }).count, 10);
  });

  test('end with the newest version, and name it, so that the next request goes on there', async () => {
    await appended('open', 2);
    const first = await getText(rowsUrl('open@1..', 'fmt=csv'));
    assert.equal(first.headers.get('framehold-handle'), 'open@1..2');
    const none = await getText(rowsUrl('open@2..', 'fmt=csv'));
    assert.deepEqual([none.status, none.text.trim()], [200, 'n,text']);
    assert.equal(none.headers.get('framehold-handle'), 'open@2..2');
    assert.equal(none.headers.get('framehold-rows-total'), '0');
    await send(framehold.url, '/v1/frames/open/rows', csv([20]), {
      method: 'POST',
      type: 'text/csv',
      status: 200,
    });
    assert.deepEqual(await numbersOf('open@2..'), [20]);
    assert.deepEqual(await numbersOf('open@0..'), range(0, 21));
  });

  test('have a tag of their own, pages, offsets and columns', async () => {
    await appended('pages', 4);
    const whole = await getText(rowsUrl('pages@4', 'fmt=csv'));
    const some = await getText(rowsUrl('pages@2..4', 'fmt=csv'));
    const others = await getText(rowsUrl('pages@1..4', 'fmt=csv'));
    const tags = [whole, some, others].map(({ headers }) => headers.get('etag') ?? '');
    assert.equal(new Set(tags).size, 3);
    const again = { headers: { 'if-none-match': tags[1] ?? '' } };
    assert.equal((await getText(rowsUrl('pages@2..4', 'fmt=csv'), again)).status, 304);
    assert.equal((await getText(rowsUrl('pages@2..', 'fmt=csv'), again)).status, 304);
    assert.equal((await getText(rowsUrl('pages@1..4', 'fmt=csv'), again)).status, 200);
    assert.match(some.headers.get('cache-control') ?? '', /immutable/);
    const open = await getText(rowsUrl('pages@2..', 'fmt=csv'));
    assert.equal(open.headers.get('cache-control'), 'no-cache');
    assert.deepEqual(await numbersOf('pages@2..4', 'offset=5&limit=10'), range(25, 35));
    const page = await getText(rowsUrl('pages@2..', 'fmt=csv&limit=15&columns=n'));
    await send(framehold.url, '/v1/frames/pages/rows', csv([40]), {
      method: 'POST',
      type: 'text/csv',
      status: 200,
    });
    const cursor = page.headers.get('framehold-cursor') ?? '';
    assert.deepEqual(await numbersOf('pages@2..', `cursor=${cursor}&limit=15`), range(35, 40));
    const link = /<([^>]*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    assert.match(link, /pages@2\.\.4\/rows/);
    assert.equal((await getText(new URL(link, framehold.url).href)).text.trim().split('\n').length, 6);
    const other = await refusal(getText(rowsUrl('pages@1..', `cursor=${cursor}`)));
    assert.equal(other[1], 'bad_cursor');
  });

  test('are tables of SQL, over HTTP and over PostgreSQL', async () => {
    await appended('tables', 5);
    const sums = 'select count(*), min(n), max(n) from';
    assert.deepEqual(await query(`${sums} "tables@2..4"`), [[20, 20, 39]]);
    assert.deepEqual(await query(`${sums} "tables@2.."`), [[30, 20, 49]]);
    assert.deepEqual(await query(`${sums} "TABLES@4.."`), [[10, 40, 49]]);
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(framehold.postgresUrl.port),
      user: 'any',
      database: 'any',
    });
    await client.connect();
    try {
      await client.query('begin isolation level repeatable read');
      const before = await client.query('select max(n)::int as n, count(*)::int as count from "tables@3.."');
      assert.deepEqual(before.rows, [{ n: 49, count: 20 }]);
      await send(framehold.url, '/v1/frames/tables/rows', csv([50]), {
        method: 'POST',
        type: 'text/csv',
        status: 200,
      });
      const later = await client.query('select max(n)::int as n, count(*)::int as count from "tables@4.."');
      assert.deepEqual(later.rows, [{ n: 49, count: 10 }], 'the transaction stays at its version');
      await client.query('commit');
      const since = await client.query('select n::int from public."tables@5.."');
      assert.deepEqual(since.rows, [{ n: 50 }]);
    } finally {
      await client.end();
    }
    const into = await send(
      framehold.url,
      '/v1/sql',
      JSON.stringify({ sql: 'insert into tables select n + 1000, text from "tables@5.."' }),
      { method: 'POST', type: 'application/json' },
    );
    assert.equal(into.status, 201, JSON.stringify(into.json));
    assert.deepEqual(await numbersOf('tables@6..'), [1050]);
  });

  test('are what Flight gives, whole and in ranges', async () => {
    await appended('flights', 9);
    const found = await flightPython(
      framehold.grpcUrl,
      `
info = client.get_flight_info(by_command({'name': 'flights@2..8', 'endpoints': 4}))
tickets = [each.ticket.ticket.decode() for each in info.endpoints]
result = {
  'all': get('flights@2..8')['n'].to_pylist(),
  'open': get('flights@8..')['n'].to_pylist(),
  'rows': info.total_records,
  'names': sorted({json.loads(each)['name'] for each in tickets}),
  'offsets': [json.loads(each)['offset'] for each in tickets],
  'ranges': sum([get(each)['n'].to_pylist() for each in tickets], []),
  'one': client.get_flight_info(by_path('flights@8..')).total_records,
}`,
    );
    assert.deepEqual(found, {
      all: range(20, 80),
      open: range(80, 90),
      rows: 60,
      names: ['flights@2..8'],
      offsets: [0, 15, 30, 45],
      ranges: range(20, 80),
      one: 10,
    });
  });

  test('stay although neither version is kept, and parts were compacted', async () => {
    await appended('log', 20);
    const page = await getText(rowsUrl('log@12..15', 'fmt=csv&limit=12'));
    const tickets = await flightPython(
      framehold.grpcUrl,
      `
info = client.get_flight_info(by_command({'name': 'log@12..15', 'endpoints': 3}))
result = [each.ticket.ticket.decode() for each in info.endpoints]`,
    );
    const kept = await getText(`${framehold.url}/v1/frames/log`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ versionsKeep: 2 }),
    });
    assert.equal(kept.status, 200, kept.text);
    await framehold.until('compacted parts', () =>
      ask<{ count: number }>(
        framehold.dataDirectory,
        "select count(*) as count from parts where name_id = (select id from names where name = 'log')",
      )[0]?.count === 2
        ? true
        : null,
    );
    assert.equal((await getText(rowsUrl('log@12'))).status, 410);
    assert.deepEqual(await numbersOf('log@12..'), range(120, 200));
    const { headers } = await getText(rowsUrl('log@12..15', 'fmt=csv'));
    assert.equal(headers.get('framehold-handle'), 'log@12..15');
    assert.deepEqual(await numbersOf('log@12..15'), range(120, 150));
    assert.deepEqual(await numbersOf('log@12..15', 'offset=25'), range(145, 150));
    assert.deepEqual(
      await query('select n from "log@12..15"'),
      range(120, 150).map((n) => [n]),
    );
    assert.deepEqual(await query('select count(*), sum(n) from "log@12..15" where n >= 125'), [[25, 3425]]);
    assert.deepEqual(
      await query('select a.n from "log@3..4" a join "log@0..20" b using (n) order by 1 desc limit 2'),
      [[39], [38]],
    );
    const cursor = page.headers.get('framehold-cursor') ?? '';
    assert.deepEqual(await numbersOf('log@12..15', `cursor=${cursor}`), range(132, 150));
    const again = await getText(rowsUrl('log@12..15', 'fmt=csv&limit=12'), {
      headers: { 'if-none-match': page.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
    const read = await flightPython(
      framehold.grpcUrl,
      `result = [get('log@12..15')['n'].to_pylist(), sum([get(each)['n'].to_pylist() for each in given], [])]`,
      tickets,
    );
    assert.deepEqual(read, [range(120, 150), range(120, 150)]);
  });

  test('that cannot be told are refused, with where to go on', async () => {
    await appended('broken', 3);
    await put('broken', [7], 200);
    assert.deepEqual(await refusal(getText(rowsUrl('broken@2..'))), [
      409,
      'not_append_only',
      'broken@4 does not begin with the rows of version 2: version 4 replaced them. Read everything again: broken@0..',
    ]);
    assert.deepEqual(await numbersOf('broken@1..3'), range(10, 30));
    await send(framehold.url, '/v1/frames/broken/restore', '', { method: 'POST', status: 404 }).catch(
      () => {},
    );
    const [status, code, text] = await refusal(getText(rowsUrl('broken@9..')));
    assert.deepEqual([status, code], [404, 'frame_not_found'], text);
    for (const handle of ['broken@3..2', 'broken@..2', 'broken@1...2', 'broken@01..2', 'broken@1..0'])
      assert.equal((await refusal(getText(rowsUrl(handle))))[1], 'bad_handle', handle);
    const { json } = await send(
      framehold.url,
      '/v1/sql',
      JSON.stringify({ sql: 'select * from "broken@2.."' }),
      {
        method: 'POST',
        type: 'application/json',
        status: 409,
      },
    );
    assert.equal(json.code, 'not_append_only');
  });

  test('are no version: they cannot be dropped, described or linked', async () => {
    await appended('whole', 2);
    for (const [method, path] of [
      ['DELETE', 'whole@1..'],
      ['GET', 'whole@1..'],
      ['GET', 'whole@1../statistics'],
      ['POST', 'whole@1../links'],
      ['PUT', 'whole@1..'],
    ] as const) {
      const answer = await getText(`${framehold.url}/v1/frames/${path}`, {
        method,
        ...(method === 'PUT' ? { body: 'n\n1\n' } : {}),
      });
      assert.equal(answer.status, 400, `${method} ${path}: ${answer.text}`);
    }
    for (const sql of ['drop table "whole@1.."', 'insert into "whole@1.." select 1, \'a\'']) {
      const { status } = await send(framehold.url, '/v1/sql', JSON.stringify({ sql }), {
        method: 'POST',
        type: 'application/json',
      });
      assert.equal(status, 400, sql);
    }
    assert.deepEqual(await numbersOf('whole'), range(0, 20));
  });
});
