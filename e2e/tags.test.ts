/** Names for versions, at every door: they read the version that they name, keep it, and move when they are told to. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { Framehold as Client } from '../client/src/index.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { getText, send } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { eventually } from '../server/test/support/patience.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({
    flags: [
      ...['--jobs-sweep-interval-ms', '200', '--frames-versions-keep', '2'],
      ...['--postgres-bind-address', '127.0.0.1:0'],
    ],
  });
});
after(() => framehold.remove());

/** A version of the name with this number in its one row. */
async function put(name: string, n: number): Promise<void> {
  await fetch(`${framehold.url}/v1/frames/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: `n\n${n}\n`,
  });
}

async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${framehold.url}${path}`, { method, headers });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of JSON is what it compares.
  const json: any = text === '' ? null : JSON.parse(text);
  return { status: answer.status, code: json?.code as string | undefined, json, headers: answer.headers };
}

async function tag(handle: string, name: string): Promise<void> {
  const { status, json } = await ask('PUT', `/v1/frames/${handle}/tags/${name}`);
  assert.equal(status, 200, JSON.stringify(json));
}

async function query(sql: string): Promise<unknown> {
  const { json } = await send(framehold.url, '/v1/sql', JSON.stringify({ sql }), {
    method: 'POST',
    type: 'application/json',
    status: 200,
  });
  return json.dataset;
}

describe('tags', () => {
  test('read the version that they name, in every way, and each answer says which', async () => {
    await put('doors', 1);
    await tag('doors', 'gold');
    await put('doors', 2);
    const manifest = await ask('GET', '/v1/frames/doors@gold');
    assert.deepEqual([manifest.json.handle, manifest.json.version], ['doors@1', 1]);
    assert.equal(manifest.headers.get('cache-control'), 'no-cache');
    const rows = await getText(`${framehold.url}/v1/frames/doors@gold/rows?fmt=csv`);
    assert.deepEqual([rows.text.trim(), rows.headers.get('framehold-handle')], ['n\r\n1', 'doors@1']);
    assert.equal(rows.headers.get('cache-control'), 'no-cache');
    for (const path of [
      '/exec?handle=doors@gold&fmt=json',
      '/exp?handle=doors@gold&fmt=csv',
      '/v1/files/doors@gold.csv',
    ]) {
      const { status, text } = await getText(`${framehold.url}${path}`);
      assert.equal(status, 200, text);
      assert.match(text, /(\[\[1\]\]|^n\s+1\s*$)/, path);
    }
    const file = await fetch(`${framehold.url}/v1/files/doors@gold.parquet`);
    assert.equal(file.status, 200);
    await file.body?.cancel();
    const statistics = await ask('GET', '/v1/frames/doors@gold/statistics');
    assert.deepEqual([statistics.json.handle, statistics.json.columns[0].max], ['doors@1', '1']);
    assert.deepEqual(await query('select * from "doors@gold", doors'), [[1, 2]]);
    assert.deepEqual(await query('select n from "DOORS@gold"'), [[1]]);
    const flight = await flightPython(
      framehold.grpcUrl,
      `
result = {
  'path': client.do_get(client.get_flight_info(by_path('doors@gold')).endpoints[0].ticket).read_all()['n'].to_pylist(),
  'ticket': get('doors@gold')['n'].to_pylist(),
  'command': client.do_get(client.get_flight_info(by_command({'name': 'doors@gold'})).endpoints[0].ticket).read_all()['n'].to_pylist(),
  'set': act('tag', {'handle': 'doors@2', 'tag': 'silver'})[0]['handle'],
  'listed': [[each['tag'], each['version']] for each in act('tags', {'name': 'doors'})[0]['tags']],
  'moved': fails(lambda: act('tag', {'handle': 'doors@1', 'tag': 'silver', 'ifVersion': 1}))['text'],
  'removed': act('untag', {'name': 'doors', 'tag': 'silver'}),
}
`,
    );
    const { moved, ...others } = flight as Record<string, unknown>;
    assert.deepEqual(others, {
      path: [1],
      ticket: [1],
      command: [1],
      set: 'doors@2',
      listed: [
        ['silver', 2],
        ['gold', 1],
      ],
      removed: [{ removed: 'silver' }],
    });
    assert.match(String(moved), /"silver" of "doors" names doors@2/);
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(framehold.postgresUrl.port),
      user: 'framehold',
    });
    await client.connect();
    const { rows: found } = await client.query('select n from "doors@gold"');
    assert.deepEqual(
      found.map(({ n }) => Number(n)),
      [1],
    );
    await client.end();
  });

  test('keep their version, move with a condition, and are shown with it', async () => {
    await put('kept', 1);
    const made = await ask('PUT', '/v1/frames/kept/tags/gold', { 'if-none-match': '*' });
    const { setAt, ...entry } = made.json;
    assert.deepEqual(entry, { tag: 'gold', handle: 'kept@1', version: 1, setBy: 'anonymous' });
    assert.ok(Math.abs(Date.parse(setAt) - Date.now()) < 60_000);
    for (let n = 2; n <= 5; n++) await put('kept', n);
    await eventually('only what is kept is left', async () => {
      const { json } = await ask('GET', '/v1/frames/kept/versions');
      return json.versions.length === 3;
    });
    const { json } = await ask('GET', '/v1/frames/kept/versions');
    assert.deepEqual(
      json.versions.map(({ version, pins }: { version: number; pins?: unknown }) => [version, pins]),
      [
        [5, undefined],
        [4, undefined],
        [1, [{ by: 'tag', count: 1, until: null }]],
      ],
    );
    await eventually('the tenant sees what it holds', async () => {
      const [held] = (await ask('GET', '/v1/status')).json.storage.pinned.frames;
      return held?.name === 'kept' && held.until === null && held.versions === 1;
    });
    const etag = (await ask('GET', '/v1/frames/kept@gold')).headers.get('etag') ?? '';
    assert.equal(
      (await ask('PUT', '/v1/frames/kept/tags/gold', { 'if-none-match': '*' })).code,
      'version_mismatch',
    );
    assert.equal((await ask('PUT', '/v1/frames/kept/tags/gold', { 'if-match': etag })).json.version, 5);
    const stale = await ask('PUT', '/v1/frames/kept@4/tags/gold', { 'if-match': etag });
    assert.deepEqual([stale.status, stale.code], [412, 'version_mismatch']);
    assert.match(stale.json.detail, /The version with the tag gold is 5/);
    assert.equal((await ask('DELETE', '/v1/frames/kept/tags/gold', { 'if-match': etag })).status, 412);
    const none = await ask('PUT', '/v1/frames/kept/tags/new', { 'if-match': etag });
    assert.match(none.json.detail, /The version with the tag new does not exist/);
    assert.equal((await ask('DELETE', '/v1/frames/kept/tags/gold')).status, 204);
    assert.deepEqual(
      [
        (await ask('GET', '/v1/frames/kept@gold')).code,
        (await ask('DELETE', '/v1/frames/kept/tags/gold')).code,
      ],
      ['tag_not_found', 'tag_not_found'],
    );
    await eventually('the version goes', async () => (await ask('GET', '/v1/frames/kept@1')).status === 410);
  });

  test('are refused where they would mean something else', async () => {
    await put('wrong', 1);
    await tag('wrong', 'gold');
    const answers = [
      await ask('DELETE', '/v1/frames/wrong@gold'),
      await ask('PUT', '/v1/frames/wrong/tags/1st'),
      await ask('PUT', '/v1/frames/wrong/tags/a.csv'),
      await ask('PUT', `/v1/frames/wrong/tags/${'t'.repeat(65)}`),
      await ask('PUT', '/v1/frames/wrong@gold..3/tags/silver'),
      await ask('GET', '/v1/frames/wrong@gold/diff?from=1'),
    ];
    assert.deepEqual(
      answers.map(({ code }) => code),
      answers.map(() => 'bad_handle'),
    );
    const absent = await ask('GET', '/v1/frames/wrong@Gold/rows');
    assert.deepEqual(
      [absent.status, absent.code, absent.json.hint],
      [404, 'tag_not_found', 'Its tags: wrong@gold.'],
    );
    assert.equal((await ask('PUT', '/v1/frames/none/tags/gold')).code, 'frame_not_found');
    assert.equal((await ask('PUT', '/v1/frames/wrong@7/tags/gold')).code, 'frame_not_found');
  });

  test('stay where they are for a transaction that reads them again', async () => {
    await put('steady', 1);
    await tag('steady', 'gold');
    await put('steady', 2);
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(framehold.postgresUrl.port),
      user: 'framehold',
    });
    await client.connect();
    const read = async () => Number((await client.query('select n from "steady@gold"')).rows[0].n);
    await client.query('begin isolation level repeatable read');
    const before = await read();
    await tag('steady@2', 'gold');
    const during = await read();
    await client.query('commit');
    assert.deepEqual([before, during, await read()], [1, 1, 2]);
    await client.end();
  });

  test('a link to a tag is a link to the version that it names then', async () => {
    await put('linked', 1);
    await tag('linked', 'gold');
    const { json } = await ask('POST', '/v1/frames/linked@gold/links');
    assert.equal(json.handle, 'linked@1');
    await put('linked', 2);
    await tag('linked', 'gold');
    assert.equal((await getText(json.url)).status, 200);
  });

  test('a change of a tag is told', async () => {
    const client = new Client({ url: framehold.url });
    await put('told', 1);
    const ended = new AbortController();
    const told: unknown[] = [];
    const listening = (async () => {
      for await (const event of client.events({ signal: ended.signal }))
        if (event.kind === 'frame.changed' && event.name === 'told') told.push(event.change);
    })().catch((error: unknown) => error);
    await eventually('the change of the tag is told', async () => {
      await client.frames.tag('told', 'gold');
      await client.frames.untag('told', 'gold');
      return told.length > 0;
    });
    assert.ok(told.every((change) => change === 'tags'));
    ended.abort();
    await listening;
    await client.frames.tag('told', 'gold', { createOnly: true });
    assert.deepEqual(
      (await client.frames.tags('told')).map(({ tag: name, handle }) => [name, handle]),
      [['gold', 'told@1']],
    );
  });
});
