import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Framehold as Client, FrameholdError } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';

let framehold: Framehold;
let token: string;
let client: Client;

before(async () => {
  framehold = await Framehold.start();
  token = newToken(framehold.dataDirectory, 'acme', 'write');
  client = new Client({ url: framehold.url, token });
});
after(() => framehold.remove());

async function texts(handle: string, of = client): Promise<(string | null)[][]> {
  const found: (string | null)[][] = [];
  const rows = await of.rows(handle);
  for await (const batch of rows)
    for (let row = 0; row < batch.rowCount; row++)
      found.push(rows.columns.map((_, column) => batch.text(row, column)));
  return found;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const thrown: unknown = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  return thrown instanceof FrameholdError ? thrown.code : String(thrown);
}

describe('bodies', () => {
  const csv = `n,s\n${Array.from({ length: 200_000 }, (_, index) => `${index},text ${index}`).join('\n')}\n`;
  const bytes = new TextEncoder().encode(csv);
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += 99_991) yield bytes.subarray(start, start + 99_991);
  }
  const bodies = {
    'a string': () => csv,
    'an array of bytes': () => bytes,
    'an ArrayBuffer': () => bytes.buffer,
    'a part of a larger array': () => new Uint8Array([0, ...bytes.subarray(0, 1_000), 0]).subarray(1, 1_001),
    'a Blob': () => new Blob([csv]),
    'a File, whose name says the format': () => new File([csv], 'Trades 2024.CSV'),
    'a stream': () => new Blob([csv]).stream(),
    'an iterator of bytes': pieces,
    'an iterator of texts': async function* () {
      for (const line of csv.split('\n').slice(0, 100)) yield `${line}\n`;
    },
  };
  for (const [name, make] of Object.entries(bodies))
    for (const withProgress of [false, true])
      test(`${name}${withProgress ? ', with its progress' : ''}`, async () => {
        const sent: number[] = [];
        const totals = new Set<number | undefined>();
        const options = name.startsWith('a File') ? {} : { format: 'csv' as const };
        const manifest = await client.frames.put('bodies', make(), {
          ...options,
          ...(withProgress
            ? {
                onProgress: (count: number, total: number | undefined) => {
                  sent.push(count);
                  totals.add(total);
                },
              }
            : {}),
        });
        const rows = await client.rows('bodies', { limit: 1 });
        assert.equal(manifest.columns[0]?.name, 'n');
        assert.equal(rows.handle, manifest.handle);
        await rows.cancel();
        if (!withProgress) return;
        assert.deepEqual(
          sent,
          sent.toSorted((a, b) => a - b),
        );
        const [total] = totals;
        assert.equal(totals.size, 1);
        if (total !== undefined) assert.equal(sent.at(-1), total);
      });

  test('a body without a format is refused before it is sent', async () => {
    assert.equal(await codeOf(client.frames.put('bodies', csv)), 'bad_argument');
    assert.equal(await codeOf(client.frames.put('bodies', new File([csv], 'book.xlsx'))), 'bad_argument');
  });

  test('an aborted upload stores nothing', async () => {
    const controller = new AbortController();
    let isEnded = false;
    async function* endless() {
      try {
        for (yield 'n\n'; ; await timePasses(5, 'the pace of the sender')) yield '1\n'.repeat(1_000);
      } finally {
        isEnded = true;
      }
    }
    let calls = 0;
    const put = client.frames.put('aborted', endless(), {
      format: 'csv',
      signal: controller.signal,
      onProgress: () => {
        if (++calls === 20) controller.abort(new Error('changed my mind'));
      },
    });
    await assert.rejects(put, { message: 'changed my mind' });
    assert.equal(await codeOf(client.frames.get('aborted')), 'frame_not_found');
    await eventually('its source is closed', () => isEnded);
  });
});

test('what was made of a version is put only if that is the newest', async () => {
  const csv = { format: 'csv' } as const;
  const { version } = await client.frames.put('of_read', 'a\n1\n', csv);
  assert.equal((await client.frames.put('of_read', 'a\n2\n', { ...csv, ifVersion: version })).version, 2);
  for (const stale of [version, 7]) {
    const guarded = { ...csv, ifVersion: stale };
    assert.equal(await codeOf(client.frames.put('of_read', 'a\n3\n', guarded)), 'version_mismatch');
    assert.equal(await codeOf(client.frames.append('of_read', 'a\n3\n', guarded)), 'version_mismatch');
  }
  await client.frames.drop('of_read@1');
  assert.equal(
    await codeOf(client.frames.put('of_read', 'a\n3\n', { ...csv, ifVersion: 1 })),
    'version_mismatch',
  );
  assert.equal((await client.frames.append('of_read', 'a\n3\n', { ...csv, ifVersion: 2 })).version, 3);
  assert.equal(await codeOf(client.frames.put(null, 'a\n1\n', { ...csv, ifVersion: 1 })), 'bad_argument');
});

test('a statement that changes something has conditions', async () => {
  await client.execute('create table conditional as select 1 as n');
  const insert = (n: number, idempotencyKey: string) =>
    client.execute(`insert into conditional values (${n})`, { idempotencyKey });
  await insert(2, 'client-insert');
  await insert(2, 'client-insert');
  assert.equal(await codeOf(insert(3, 'client-insert')), 'idempotency_conflict');
  const replace = 'create or replace table conditional as select 1 as n';
  assert.equal(await codeOf(client.execute(replace, { ifNoneMatch: '*' })), 'frame_exists');
  assert.equal(await codeOf(client.execute(replace, { ifMatch: '"other.1"' })), 'version_mismatch');
  assert.deepEqual(await texts('conditional'), [['1'], ['2']]);
});

test('a frame is put, appended to, restored, dropped and undropped', async () => {
  const first = await client.frames.put('life', 'a,b\n1,\n2,"x,y"\n', {
    format: 'csv',
    ttl: '1h',
    ifNoneMatch: '*',
  });
  assert.equal(first.handle, 'life@1');
  assert.ok(first.expiresAt !== null);
  assert.equal(
    await codeOf(client.frames.put('life', 'a\n1\n', { format: 'csv', ifNoneMatch: '*' })),
    'frame_exists',
  );
  await client.frames.append('life', '{"b":"z","a":9007199254740993}\n', {
    format: 'ndjson',
    idempotencyKey: 'k1',
  });
  await client.frames.append('life', '{"b":"z","a":9007199254740993}\n', {
    format: 'ndjson',
    idempotencyKey: 'k1',
  });
  const other = { format: 'ndjson', idempotencyKey: 'k1' } as const;
  assert.equal(await codeOf(client.frames.append('life', '{"a":1}\n', other)), 'idempotency_conflict');
  assert.deepEqual(await texts('life'), [
    ['1', null],
    ['2', 'x,y'],
    ['9007199254740993', 'z'],
  ]);
  assert.equal((await client.frames.restore('life', 1)).version, 3);
  const { versions, next } = await client.frames.versions('life', { limit: 2 });
  assert.deepEqual(
    versions.map(({ version, origin }) => [version, origin.kind]),
    [
      [3, 'restored'],
      [2, 'append'],
    ],
  );
  assert.ok(next !== null);
  assert.equal((await client.frames.versions('life', { limit: 2, cursor: next })).versions[0]?.version, 1);
  await client.frames.drop('life');
  assert.equal(await codeOf(client.rows('life')), 'frame_gone');
  assert.equal((await client.frames.undrop('life')).handle, 'life@3');
});

test('names are listed page by page', async () => {
  for (let index = 0; index < 5; index++)
    await client.frames.put(`list_${index}`, 'a\n1\n', { format: 'csv' });
  const page = await client.frames.list({ prefix: 'list_', limit: 2 });
  assert.deepEqual(
    page.frames.map(({ name }) => name),
    ['list_0', 'list_1'],
  );
  const names: string[] = [];
  for await (const { name } of client.frames.all({ prefix: 'list_' })) names.push(name);
  assert.equal(names.length, 5);
  const chosen = await client.frames.put(null, 'a\n1\n', { format: 'csv', ttl: '60s' });
  assert.match(chosen.name, /^f_/);
});

test('a file is inspected by its beginning, and nothing is stored', async () => {
  const lines = `id;price\n${'1;2,5\n'.repeat(4_000_000)}`;
  const file = new File([lines], 'large.csv');
  assert.ok(file.size > 20_000_000);
  const report = await client.frames.inspect(file, { csv: { decimal: ',' } });
  assert.deepEqual([report.partial, report.text?.delimiter, report.problem], [true, ';', null]);
  assert.deepEqual(
    report.columns.map(({ type }) => type),
    ['BIGINT', 'DOUBLE'],
  );
  const bad = await client.frames.inspect('a,b\n1\n', { format: 'csv' });
  assert.equal(bad.partial, false);
  assert.match(bad.problem?.detail ?? '', /Line 2/);
});

test('a frame is shared with a tenant, and with whoever has a link', async () => {
  await client.frames.put('mine', 'n\n1\n', { format: 'csv' });
  const other = new Client({ url: framehold.url, token: newToken(framehold.dataDirectory, 'beta', 'read') });
  assert.equal(await codeOf(other.rows('acme:mine')), 'frame_not_found');
  assert.deepEqual(await client.frames.share('mine', 'beta'), ['beta']);
  assert.deepEqual(await texts('acme:mine', other), [['1']]);
  assert.deepEqual(
    (await other.frames.shared()).frames.map(({ name }) => name),
    ['acme:mine'],
  );
  assert.deepEqual(await client.frames.unshare('mine', 'beta'), []);
  assert.equal(await codeOf(other.rows('acme:mine')), 'frame_not_found');

  const anyone = new Client({ url: framehold.url });
  assert.equal(await codeOf(anyone.rows('mine')), 'unauthenticated');
  const { link, handle } = await client.frames.link('mine', { ttl: '1m' });
  assert.equal(handle, 'mine@1');
  assert.equal((await (await anyone.rows(handle, { link })).table()).numRows, 1);
  assert.equal((await anyone.frames.get(handle, { link })).rows, 1);
  const answer = await fetch(anyone.rowsUrl(handle, { link, format: 'csv' }));
  assert.equal(await answer.text(), 'n\r\n1\r\n');
});

test('the address of rows has no token in it', () => {
  const url = new URL(client.rowsUrl('a@3', { format: 'parquet', columns: ['x', 'y'], offset: 5 }));
  assert.equal(url.pathname, '/v1/frames/a@3/rows');
  assert.equal(url.search, '?fmt=parquet&offset=5&columns=x%2Cy');
  assert.ok(!url.href.includes(token));
});
