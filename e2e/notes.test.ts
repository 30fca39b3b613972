/** What people say of frames: it stays through versions, is changed member by member, and found. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Framehold as Client } from '../client/src/index.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { runCommand } from '../server/test/support/frame-command.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ flags: ['--mcp-enabled'] });
});
after(() => framehold.remove());

async function ask(
  method: string,
  path: string,
  body?: object | string,
  headers: Record<string, string> = {},
) {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json';
  const answer = await fetch(`${framehold.url}/v1/frames${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of JSON is what it compares.
  const json: any = text === '' ? null : JSON.parse(text);
  return {
    status: answer.status,
    code: json?.code as string | undefined,
    json,
    etag: answer.headers.get('etag') ?? '',
  };
}

const put = (name: string) => ask('PUT', `/${name}`, 'price,size\n1,2\n');
const nothing = { description: null, owner: null, labels: [], columns: {} };

describe('notes', () => {
  test('are changed member by member, and stay through versions', async () => {
    await put('trades');
    assert.deepEqual((await ask('GET', '/trades/notes')).json, nothing);
    const first = await ask('PATCH', '/trades/notes', {
      description: 'Trades of the day',
      labels: ['daily', 'daily', 'finance'],
      columns: { price: { comment: 'at the close', unit: 'USD' }, size: { unit: 'lots' } },
    });
    assert.equal(first.status, 200, JSON.stringify(first.json));
    await put('trades');
    const second = await ask('PATCH', '/trades/notes', {
      owner: 'Ann',
      labels: null,
      columns: { price: { comment: null }, size: null, gone: { comment: 'no such column yet' } },
    });
    assert.deepEqual(second.json, {
      description: 'Trades of the day',
      owner: 'Ann',
      labels: [],
      columns: { price: { comment: null, unit: 'USD' }, gone: { comment: 'no such column yet', unit: null } },
    });
    const read = await ask('GET', '/trades@1/notes');
    assert.deepEqual([read.json, read.etag], [second.json, second.etag]);
    assert.equal(
      (await fetch(`${framehold.url}/v1/frames/trades/notes`, { headers: { 'if-none-match': read.etag } }))
        .status,
      304,
    );
    const stale = await ask('PATCH', '/trades/notes', { owner: 'Bob' }, { 'if-match': first.etag });
    assert.deepEqual([stale.status, stale.code], [412, 'version_mismatch']);
    assert.equal(
      (await ask('PATCH', '/trades/notes', { owner: 'Bob' }, { 'if-match': second.etag })).json.owner,
      'Bob',
    );
    const none = await ask('PATCH', '/trades/notes', { description: null, owner: null, columns: null });
    assert.deepEqual([none.json, none.etag], [nothing, '"none"']);
  });

  test('of eight members that are changed at the same time none is lost', async () => {
    await put('shared');
    const names = Array.from({ length: 4 }, (_, n) => `c${n}`);
    const answers = await Promise.all(
      names.map((name) => ask('PATCH', '/shared/notes', { columns: { [name]: { comment: name } } })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      names.map(() => 200),
    );
    assert.deepEqual(Object.keys((await ask('GET', '/shared/notes')).json.columns).sort(), names);
  });

  test('that are too long, or no notes, are refused with the reason', async () => {
    await put('refused');
    const bodies = [
      { description: 'x'.repeat(10_001) },
      { description: '' },
      { owner: 7 },
      { labels: 'daily' },
      { labels: Array.from({ length: 51 }, (_, n) => `l${n}`) },
      { columns: { price: { kind: 'money' } } },
      {
        columns: Object.fromEntries(
          Array.from({ length: 200 }, (_, n) => [`c${n}`, { comment: 'x'.repeat(1_999) }]),
        ),
      },
      { title: 'x' },
      'a,b\n1,2\n',
    ];
    for (const body of bodies) {
      const { status, json } = await ask('PATCH', '/refused/notes', body);
      assert.ok(status === 400 || status === 415, `${JSON.stringify(body).slice(0, 80)}: ${status}`);
      assert.ok(json.hint, json.detail);
    }
    assert.deepEqual((await ask('GET', '/refused/notes')).json, nothing);
    assert.equal((await ask('PATCH', '/none/notes', { owner: 'Ann' })).code, 'frame_not_found');
    assert.equal((await ask('GET', '/none/notes')).code, 'frame_not_found');
  });

  test('are searched with names, in any case and form', async () => {
    for (const name of ['searched_one', 'searched_two', 'other']) await put(name);
    await ask('PATCH', '/other/notes', { columns: { size: { comment: 'Größe of a ＳＥＡＲＣＨ' } } });
    const found = async (text: string) =>
      (await ask('GET', `?search=${encodeURIComponent(text)}`)).json.frames.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await found('SEARCH'), ['other', 'searched_one', 'searched_two']);
    assert.deepEqual(await found('größe'), ['other']);
    assert.deepEqual(await found('%'), []);
    const page = (await ask('GET', '?search=searched&limit=1')).json;
    assert.deepEqual(
      page.frames.map(({ name }: { name: string }) => name),
      ['searched_one'],
    );
    const next = (await ask('GET', `?search=searched&limit=1&cursor=${page.next}`)).json;
    assert.deepEqual(
      next.frames.map(({ name }: { name: string }) => name),
      ['searched_two'],
    );
    assert.equal((await ask('GET', '?search=a&prefix=b')).code, 'bad_request');
  });

  test('come back with a dropped frame', async () => {
    await put('back');
    await ask('PATCH', '/back/notes', { description: 'kept' });
    await ask('DELETE', '/back');
    await ask('POST', '/back/undrop');
    assert.equal((await ask('GET', '/back/notes')).json.description, 'kept');
  });
});

describe('notes at other doors', () => {
  test('Flight, MCP, TypeScript and the command line read and change the same', async () => {
    await put('doors');
    const said = await flightPython(
      framehold.grpcUrl,
      `
result = [act('note', {'name': 'doors', 'notes': {'description': 'by Flight', 'columns': {'price': {'unit': 'EUR'}}}}), act('notes', {'name': 'doors'})]
`,
    );
    const byFlight = {
      ...nothing,
      description: 'by Flight',
      columns: { price: { comment: null, unit: 'EUR' } },
    };
    assert.deepEqual(said, [[byFlight], [byFlight]]);
    const client = new Client({ url: framehold.url });
    await client.frames.note('doors', { labels: ['typed'] });
    assert.deepEqual(await client.frames.notes('doors'), { ...byFlight, labels: ['typed'] });
    assert.deepEqual(
      (await client.frames.list({ search: 'TYPED' })).frames.map(({ name }) => name),
      ['doors'],
    );
    const tool = async (name: string, given: object) => {
      const { result } = (await (
        await fetch(`${framehold.url}/v1/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name, arguments: given },
          }),
        })
      ).json()) as { result: { content: { text: string }[] } };
      return JSON.parse(result.content[0]?.text ?? '');
    };
    const described = await tool('describe_frame', { frame: 'doors' });
    assert.deepEqual(
      [described.description, described.labels, described.columns[0].unit, described.columns[1].unit],
      ['by Flight', ['typed'], 'EUR', undefined],
    );
    const listed = await tool('list_frames', { search: 'by flight' });
    assert.deepEqual(
      [listed.frames.map(({ handle }: { handle: string }) => handle), listed.next],
      [['doors@1'], null],
    );
    const shown = await runCommand(
      ['note', 'doors', '--owner', 'Ann', '--column', 'size', '--comment', 'in lots', '--description', ''],
      { env: { FRAMEHOLD_URL: framehold.url } },
    );
    assert.equal(shown.code, 0, shown.errors);
    assert.deepEqual(JSON.parse(shown.text), {
      description: null,
      owner: 'Ann',
      labels: ['typed'],
      columns: { price: { comment: null, unit: 'EUR' }, size: { comment: 'in lots', unit: null } },
    });
  });

  test('SQL comments on tables and columns, and information_schema shows it', async () => {
    await put('In_SQL');
    const sql = async (text: string, more: object = {}) => {
      const answer = await fetch(`${framehold.url}/v1/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body: JSON.stringify({ sql: text }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: what a test expects of JSON is what it compares.
      return { status: answer.status, json: (await answer.json()) as any };
    };
    for (const text of [
      "COMMENT ON TABLE in_sql IS 'It''s said'",
      "COMMENT ON COLUMN framehold.main.in_sql.PRICE IS 'at the close'",
      'COMMENT ON COLUMN in_sql.size IS $$in lots$$',
    ])
      assert.deepEqual([text, (await sql(text)).status], [text, 200]);
    await sql("COMMENT ON COLUMN in_sql.size IS ''");
    await ask('PATCH', '/In_SQL/notes', { columns: { price: { unit: 'USD' }, gone: { comment: 'no' } } });
    const views = await sql(`SELECT table_comment, column_name, column_comment FROM information_schema.columns
      JOIN information_schema.tables USING (table_name) WHERE table_name = 'In_SQL' ORDER BY column_name`);
    assert.deepEqual(views.json.dataset, [
      ["It's said", 'price', 'at the close'],
      ["It's said", 'size', null],
    ]);
    assert.equal((await ask('GET', '/In_SQL')).json.version, 1);
    const wrong = [
      ["COMMENT ON COLUMN in_sql.none IS 'x'", 'sql_invalid'],
      ["COMMENT ON TABLE none IS 'x'", 'frame_not_found'],
      ['COMMENT ON TABLE "in_sql@1" IS \'x\'', 'bad_handle'],
      ["COMMENT ON VIEW in_sql IS 'x'", 'sql_refused'],
      [`COMMENT ON TABLE in_sql IS '${'x'.repeat(10_001)}'`, 'bad_request'],
    ] as const;
    for (const [text, code] of wrong) {
      const { json } = await sql(text);
      assert.deepEqual([text.slice(0, 60), json.code], [text.slice(0, 60), code]);
      assert.ok(json.hint, json.detail);
    }
    assert.equal(
      (await sql("COMMENT ON TABLE in_sql IS 'x'", { 'if-match': '"1"' })).json.code,
      'bad_request',
    );
    assert.equal((await sql('COMMENT ON TABLE in_sql IS NULL')).status, 200);
    assert.equal((await ask('GET', '/In_SQL/notes')).json.description, null);
  });
});
