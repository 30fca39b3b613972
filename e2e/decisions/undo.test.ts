/** Back to an earlier version, and to before a drop, over HTTP, Flight and SQL. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { assertProblem, exec, getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

let framehold: Framehold;
let frames: Readonly<Record<number, Buffer<ArrayBuffer>>>;
before(async () => {
  const numbers = [1, 2, 3, 7, 10].map((number) => [
    number,
    `pa.table({'n': pa.array([${number}], pa.int64())})`,
  ]);
  frames = await arrowBytes(Object.fromEntries(numbers));
  framehold = await Framehold.start({
    flags: ['--jobs-sweep-interval-ms', '200', '--transcode-threads', '0'],
  });
});
after(async () => await framehold.remove());

const path = (name: string) => `/v1/frames/${name}`;
const put = (name: string, number: number, query = '') =>
  send(framehold.url, path(name) + query, frames[number] as Buffer<ArrayBuffer>);
const append = (name: string, number: number) =>
  send(framehold.url, `${path(name)}/rows`, frames[number] as Buffer<ArrayBuffer>, {
    method: 'POST',
    status: 200,
  });
const ask = (method: string, where: string, headers: Record<string, string> = {}) =>
  getText(framehold.url + where, { method, headers });
const restore = (name: string, version: number | string, headers = {}) =>
  ask('POST', `${path(name)}/restore?version=${version}`, headers);
const undrop = (name: string) => ask('POST', `${path(name)}/undrop`);
const drop = (handle: string, query = '') => ask('DELETE', `${path(handle)}${query}`);
const cells = async (handle: string) => {
  const answer = await exec(framehold.url, { handle, fmt: 'json' });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text).dataset.map(([cell]: [unknown]) => cell) as unknown[];
};
const objectCount = async () => (await framehold.storedObjects()).length;

test('an earlier version becomes the newest one, without a copy, and takes appends', async () => {
  for (const number of [1, 2, 3]) await put('prices', number);
  const objects = await objectCount();
  const answer = await restore('prices', 1);
  assert.equal(answer.status, 200, answer.text);
  const manifest = JSON.parse(answer.text);
  assert.deepEqual([manifest.handle, manifest.rows], ['prices@4', 1]);
  const { kind, from, format } = manifest.origin;
  assert.deepEqual([kind, from, format], ['restored', 1, 'arrow']);
  assert.equal(answer.headers.get('location'), '/v1/frames/prices@4');
  assert.equal(await objectCount(), objects);
  assert.deepEqual(await cells('prices'), [1]);
  await append('prices', 10);
  assert.deepEqual(await cells('prices'), [1, 10]);
  assert.deepEqual(await cells('prices@3'), [3]);
});

test('restore takes If-Match and an idempotency key, and knows which versions there are', async () => {
  for (const number of [1, 2]) await put('guarded', number);
  const { headers } = await ask('GET', path('guarded'));
  const etag = headers.get('etag') ?? '';
  assertProblem(await restore('guarded', 1, { 'if-match': '"other"' }), 412, 'version_mismatch');
  const keyed = { 'if-match': etag, 'idempotency-key': 'undo-1' };
  assert.equal(JSON.parse((await restore('guarded', 1, keyed)).text).version, 3);
  const again = await restore('guarded', 1, { 'idempotency-key': 'undo-1' });
  assertProblem(again, 409, 'idempotency_conflict');
  const key = { 'idempotency-key': 'undo-2' };
  const first = await restore('guarded', 1, key);
  assert.equal(JSON.parse(first.text).version, 4);
  assert.equal((await restore('guarded', 1, key)).text, first.text);
  assertProblem(await restore('guarded', 9), 404, 'frame_not_found');
  await drop('guarded@2');
  assertProblem(await restore('guarded', 2), 410, 'frame_gone');
  assertProblem(await restore('nobody', 1), 404, 'frame_not_found');
  for (const version of ['', 'x', '-1']) assertProblem(await restore('guarded', version), 400, 'bad_request');
  assertProblem(await ask('POST', `${path('guarded')}/restore`), 400, 'bad_request');
  assertProblem(await ask('GET', `${path('guarded')}/restore`), 405, 'method_not_allowed');
});

test('a drop is undone: every version, under the same numbers', async () => {
  await put('oops', 1);
  await append('oops', 2);
  const before = (await ask('GET', `${path('oops')}/versions`)).text;
  assert.equal((await drop('oops')).status, 204);
  assertProblem(await ask('GET', path('oops')), 410, 'frame_gone');
  const back = await undrop('oops');
  assert.equal(back.status, 200, back.text);
  assert.equal(JSON.parse(back.text).handle, 'oops@2');
  assert.equal((await ask('GET', `${path('oops')}/versions`)).text, before);
  assert.deepEqual(await cells('oops@1'), [1]);
  assertProblem(await undrop('oops'), 409, 'name_in_use');
  assert.equal((await put('oops', 3)).json.version, 3);
});

test('nothing comes back over a frame that exists, after its expiry, or of a name that never was', async () => {
  await put('taken', 1);
  await drop('taken');
  await put('taken', 2);
  assertProblem(await undrop('taken'), 409, 'name_in_use');
  assert.equal((await drop('taken', '?purge=true')).status, 204);
  assert.equal(JSON.parse((await undrop('taken')).text).handle, 'taken@1');
  const short = await put('short', 1, '?ttl=1');
  await drop('short');
  await eventually('it has expired', () => Date.now() > Date.parse(String(short.json.expiresAt)));
  assertProblem(await undrop('short'), 410, 'frame_gone');
  assertProblem(await undrop('nobody'), 404, 'frame_not_found');
  assertProblem(await undrop('short@1'), 400, 'bad_handle');
});

test('a purge leaves nothing, of a frame that is there and of one that was dropped', async () => {
  const objects = await objectCount();
  await put('secret', 1);
  await drop('secret');
  assert.equal((await drop('secret', '?purge=true')).status, 204);
  assertProblem(await undrop('secret'), 410, 'frame_gone');
  assertProblem(await drop('secret', '?purge=true'), 410, 'frame_gone');
  await put('secret', 2);
  assert.equal((await drop('secret', '?purge=true')).status, 204);
  assertProblem(await undrop('secret'), 410, 'frame_gone');
  assertProblem(await drop('secret', '?purge=maybe'), 400, 'bad_request');
  await framehold.until('the objects are gone', async () => ((await objectCount()) <= objects ? true : null));
});

test('Flight has restore and undrop, and drop takes purge', async () => {
  const result = await flightPython(
    framehold.grpcUrl,
    `
put(by_path('flown'), numbers(1))
put(by_path('flown'), numbers(2))
restored = act('restore', {'name': 'flown', 'version': 1, 'ifVersion': 2, 'idempotencyKey': 'fly'})[0]
act('drop', {'name': 'flown'})
undropped = act('undrop', {'name': 'flown'})[0]
rows = get('flown').to_pydict()
act('drop', {'name': 'flown', 'purge': True})
result = [restored['handle'], restored['origin'], undropped['handle'], rows,
          fails(lambda: act('undrop', {'name': 'flown'}))['kind'],
          fails(lambda: act('restore', {'name': 'flown'}))['kind'],
          fails(lambda: act('drop', {'name': 'flown', 'purge': 'yes'}))['kind']]`,
  );
  assert.deepEqual(result, [
    'flown@3',
    { kind: 'restored', from: 1, format: 'flight' },
    'flown@3',
    { n: [1] },
    'ArrowKeyError',
    'ArrowInvalid',
    'ArrowInvalid',
  ]);
});

test('DROP TABLE is undone too', async () => {
  await put('tabled', 7);
  const dropped = await fetch(`${framehold.url}/v1/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/sql' },
    body: 'DROP TABLE tabled',
  });
  assert.equal(dropped.status, 200, await dropped.text());
  assert.equal((await undrop('tabled')).status, 200);
  assert.deepEqual(await cells('tabled'), [7]);
});

test('with frames.undrop_hours 0 a drop is final', async () => {
  await framehold.stop();
  await framehold.start({ FRAMEHOLD_FRAMES_UNDROP_HOURS: '0' });
  await put('final', 1);
  await drop('final');
  assertProblem(await undrop('final'), 410, 'frame_gone');
});
