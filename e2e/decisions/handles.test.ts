import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem, exec, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

const sweepMs = 200;
let framehold: Framehold;
let frames: Record<'one' | 'two' | 'three' | 'other' | 'required', Buffer<ArrayBuffer>>;
before(async () => {
  framehold = await Framehold.start({ flags: ['--jobs-sweep-interval-ms', String(sweepMs)] });
  frames = await arrowBytes({
    one: `pa.table({'n': pa.array([1], pa.int64())})`,
    two: `pa.table({'n': pa.array([2], pa.int64())})`,
    three: `pa.table({'n': pa.array([3, None], pa.int64())})`,
    other: `pa.table({'m': ['x']})`,
    required: `pa.table([pa.array([9], pa.int64())], schema=pa.schema([pa.field('n', pa.int64(), nullable=False)]))`,
  });
});
after(async () => await framehold.remove());

const path = (name: string) => `/v1/frames/${name}`;
const put = (name: string, body: Buffer<ArrayBuffer>, options = {}) =>
  send(framehold.url, path(name), body, options);
const append = (name: string, body: Buffer<ArrayBuffer>, options = {}) =>
  send(framehold.url, `${path(name)}/rows`, body, { method: 'POST', ...options });
const cells = async (handle: string) => {
  const answer = await exec(framehold.url, { handle, fmt: 'json' });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text).dataset.map(([cell]: [unknown]) => cell) as unknown[];
};
const drop = (handle: string, headers = {}) =>
  getText(framehold.url + path(handle), { method: 'DELETE', headers });

test('a handle is name or name@version; name alone means its newest version', async () => {
  await put('versions', frames.one, { status: 201 });
  await put('versions', frames.two, { status: 200 });
  assert.deepEqual(await cells('versions'), [2]);
  assert.deepEqual(await cells('versions@1'), [1]);
  assert.deepEqual(await cells('versions@2'), [2]);
});

for (const name of ['a', '0', '_', 'A-Z_a.z-0', 'f'.repeat(128), '1.5', 'x..y']) {
  test(`a name is 1–128 of A-Z a-z 0-9 _ . -: ${name.slice(0, 20)}`, async () => {
    await putFrame(framehold.url, name, frames.one);
    assert.deepEqual(await cells(name), [1]);
  });
}

for (const name of ['.hidden', '-dash', 'a b', 'é', 'x'.repeat(129), 'a/b', 'a:b', 'a%00b', 'name@1']) {
  test(`not a name: ${name.slice(0, 20)}`, async () => {
    const answer = await put(encodeURIComponent(name), frames.one);
    assert.equal(answer.status, 400, JSON.stringify(answer.json));
    assert.equal(answer.json.code, 'bad_handle');
  });
}

test('two names that differ only in case cannot both exist: 409', async () => {
  await put('CaseSensitive', frames.one, { status: 201 });
  const answer = await put('casesensitive', frames.one, { status: 409 });
  assert.equal(answer.json.code, 'name_conflict');
});

test('versions count from 1 and are never reused, not even after a drop', async () => {
  assert.equal((await put('counted', frames.one)).json.version, 1);
  assert.equal((await put('counted', frames.one)).json.version, 2);
  assert.equal((await drop('counted')).status, 204);
  const again = await put('counted', frames.one, { status: 201 });
  assert.equal(again.json.version, 3);
  assertProblem(await exec(framehold.url, { handle: 'counted@1', fmt: 'json' }), 410, 'frame_gone');
});

test("a version's rows never change", async () => {
  await put('fixed', frames.one);
  await append('fixed', frames.two, { status: 200 });
  await put('fixed', frames.three);
  assert.deepEqual(await cells('fixed@1'), [1]);
  assert.deepEqual(await cells('fixed@2'), [1, 2]);
  assert.deepEqual(await cells('fixed@3'), [3, null]);
});

test('without a name the server mints f_ and 26 lower-case base32 characters', async () => {
  const names = new Set<unknown>();
  for (let count = 0; count < 3; count++) {
    const answer = await send(framehold.url, '/v1/frames', frames.one, { method: 'POST', status: 201 });
    assert.match(String(answer.json.name), /^f_[a-z2-7]{26}$/);
    assert.equal(answer.json.handle, `${answer.json.name}@1`);
    assert.match(answer.headers.get('location') ?? '', new RegExp(`/v1/frames/${answer.json.name}(@1)?$`));
    names.add(answer.json.name);
  }
  assert.equal(names.size, 3);
});

test('create fails if the name exists: If-None-Match: * is 412 frame_exists', async () => {
  const headers = { 'if-none-match': '*' };
  await put('once', frames.one, { headers, status: 201 });
  const again = await put('once', frames.two, { headers, status: 412 });
  assert.equal(again.json.code, 'frame_exists');
  assert.deepEqual(await cells('once'), [1]);
});

test('replace makes the next version: 201 created, 200 replaced', async () => {
  await put('replaced', frames.one, { status: 201 });
  const answer = await put('replaced', frames.two, { status: 200 });
  assert.equal(answer.json.version, 2);
});

test('append makes the next version out of the rows before and the new ones', async () => {
  await put('appended', frames.one);
  const answer = await append('appended', frames.two, { status: 200 });
  assert.equal(answer.json.version, 2);
  assert.equal(answer.json.rows, 2);
  await append('appended', frames.three);
  assert.deepEqual(await cells('appended'), [1, 2, 3, null]);
});

test('append wants the same columns, else 409 with the difference', async () => {
  await put('strict', frames.one);
  const answer = await append('strict', frames.other, { status: 409 });
  assert.equal(answer.json.code, 'schema_conflict');
  assert.match(String(answer.json.detail), /\bn\b/);
  assert.match(String(answer.json.detail), /\bm\b/);
  assert.deepEqual(await cells('strict'), [1]);
});

test('append: nullable may widen', async () => {
  await put('widened', frames.required);
  await append('widened', frames.three, { status: 200 });
  assert.deepEqual(await cells('widened'), [9, 3, null]);
  await append('widened', frames.required, { status: 200 });
  assert.deepEqual(await cells('widened'), [9, 3, null, 9]);
});

test('append to a name that does not exist: 404', async () => {
  const answer = await append('nowhere', frames.one);
  assert.equal(answer.status, 404);
});

test('If-Match guards races', async () => {
  const first = await put('guarded', frames.one);
  const tag = first.headers.get('etag') ?? '';
  const second = await put('guarded', frames.two, { headers: { 'if-match': tag }, status: 200 });
  const stale = await put('guarded', frames.three, { headers: { 'if-match': tag }, status: 412 });
  assert.equal(stale.json.code, 'version_mismatch');
  await append('guarded', frames.three, { headers: { 'if-match': tag }, status: 412 });
  await append('guarded', frames.three, {
    headers: { 'if-match': second.headers.get('etag') ?? '' },
    status: 200,
  });
  assert.equal((await drop('guarded', { 'if-match': tag })).status, 412);
});

test('Idempotency-Key: the same key again answers as the first time', async () => {
  const headers = { 'idempotency-key': 'k-1' };
  const first = await put('keyed', frames.one, { headers, status: 201 });
  const again = await put('keyed', frames.one, { headers });
  assert.equal(again.json.handle, first.json.handle);
  const appended = await append('keyed', frames.two, { headers: { 'idempotency-key': 'k-2' } });
  const repeated = await append('keyed', frames.two, { headers: { 'idempotency-key': 'k-2' } });
  assert.equal(repeated.json.handle, appended.json.handle);
  assert.deepEqual(await cells('keyed'), [1, 2]);
});

test('Idempotency-Key used for another request: 409', async () => {
  const headers = { 'idempotency-key': 'k-3' };
  await put('keyed-a', frames.one, { headers });
  const other = await put('keyed-b', frames.one, { headers, status: 409 });
  assert.equal(other.json.code, 'idempotency_conflict');
});

test('Idempotency-Key: a minted name is minted once', async () => {
  const options = { method: 'POST', headers: { 'idempotency-key': 'k-4' } } as const;
  const first = await send(framehold.url, '/v1/frames', frames.one, options);
  const again = await send(framehold.url, '/v1/frames', frames.one, options);
  assert.equal(first.json.name, again.json.name);
});

test('a name may expire: ttl in seconds; then it is 410', async () => {
  const answer = await send(framehold.url, `${path('short')}?ttl=1`, frames.one, { status: 201 });
  assert.ok(Date.parse(String(answer.json.expiresAt)) > Date.now());
  assert.deepEqual(await cells('short'), [1]);
  await eventually('it has expired', () => Date.now() > Date.parse(String(answer.json.expiresAt)));
  assertProblem(await exec(framehold.url, { handle: 'short', fmt: 'json' }), 410, 'frame_gone');
});

test('a name may expire: ttl as 30d', async () => {
  const answer = await send(framehold.url, `${path('long')}?ttl=30d`, frames.one, { status: 201 });
  const inDays = (Date.parse(String(answer.json.expiresAt)) - Date.now()) / 86_400_000;
  assert.ok(inDays > 29.99 && inDays <= 30, String(inDays));
});

test('append does not renew the expiry', async () => {
  const first = await send(framehold.url, `${path('not-renewed')}?ttl=1h`, frames.one);
  const appended = await append('not-renewed', frames.two);
  assert.equal(appended.json.expiresAt, first.json.expiresAt);
});

for (const ttl of ['0', '-1', 'soon', '1.5', '30x', '']) {
  test(`a ttl that is none is 400: ${JSON.stringify(ttl)}`, async () => {
    await send(framehold.url, `${path('never')}?ttl=${ttl}`, frames.one, { status: 400 });
  });
}

test('the last 10 versions are kept; a superseded one is 410', async () => {
  for (let count = 0; count < 12; count++) await put('kept', frames.one);
  await framehold.until('pruned version', async () => {
    const answer = await exec(framehold.url, { handle: 'kept@2', fmt: 'json' });
    return answer.status === 410 ? true : null;
  });
  assert.deepEqual(await cells('kept@3'), [1]);
  const { versions } = JSON.parse((await getText(`${framehold.url}${path('kept')}/versions`)).text);
  assert.deepEqual(
    versions.map(({ version }: { version: number }) => version),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  );
});

test('unknown handle: 404; dropped: 410', async () => {
  assertProblem(await getText(framehold.url + path('unknown')), 404, 'frame_not_found');
  await put('gone', frames.one);
  assert.equal((await drop('gone')).status, 204);
  assertProblem(await getText(framehold.url + path('gone')), 410, 'frame_gone');
  assert.equal((await drop('gone')).status, 410);
});

test('one version can be dropped', async () => {
  await put('partly', frames.one);
  await put('partly', frames.two);
  assert.equal((await drop('partly@1')).status, 204);
  assertProblem(await getText(framehold.url + path('partly@1')), 410);
  assert.deepEqual(await cells('partly'), [2]);
});

test('what is gone stays gone after a restart, and what is held stays held', async () => {
  await framehold.stop();
  await framehold.start();
  assertProblem(await getText(framehold.url + path('gone')), 410, 'frame_gone');
  assert.deepEqual(await cells('appended'), [1, 2, 3, null]);
  assert.equal((await put('counted', frames.one)).json.version, 4);
});

test('open reads finish', async () => {
  const { large } = await arrowBytes({ large: `pa.table({'n': pa.array(range(3000000), pa.int64())})` });
  await putFrame(framehold.url, 'open', large);
  const answer = await fetch(`${framehold.url}/exp?handle=open&fmt=arrow`);
  const reader = answer.body?.getReader();
  let bytes = (await reader?.read())?.value?.length ?? 0;
  assert.equal((await drop('open')).status, 204);
  await timePasses(3 * sweepMs, 'sweeps that another node may make');
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    bytes += next.value.length;
  }
  assert.ok(bytes > 24_000_000, String(bytes));
});
