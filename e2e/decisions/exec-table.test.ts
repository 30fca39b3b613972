import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem, exec, getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ flags: ['--http-limit-max', '5000'] });
  const { frame } = await arrowBytes({
    frame: `pa.table({'n': pa.array(range(20), pa.int64()), 's': ['x'] * 20})`,
  });
  await putFrame(framehold.url, 'frame', frame);
});
after(async () => await framehold.remove());

const get = (target: string) => getText(framehold.url + target);

test('handle mode: 200, application/json; charset=utf-8', async () => {
  const answer = await get('/exec?handle=frame&fmt=json');
  assert.equal(answer.status, 200);
  assert.equal(answer.type, 'application/json; charset=utf-8');
});

test('handle mode: exactly query, columns, dataset, count, in this order', async () => {
  const answer = await get('/exec?handle=frame&fmt=json&limit=1');
  assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['query', 'columns', 'dataset', 'count']);
  assert.match(
    answer.text,
    /^\{"query":"handle:frame","columns":\[.*\],"dataset":\[\[0,"x"\]\],"count":1\}$/,
  );
});

const refused: readonly [string, string][] = [
  ['both of handle and query', 'handle=frame&query=select%201&fmt=json'],
  ['neither of handle and query', 'fmt=json'],
  ['an empty handle', 'handle=&fmt=json'],
  ['an empty query', 'query=&fmt=json'],
  ['handle given twice', 'handle=frame&handle=frame&fmt=json'],
  ['query given twice', 'query=select%201&query=select%201&fmt=json'],
  ['an empty handle beside a query', 'handle=&query=select%201&fmt=json'],
];
for (const [title, parameters] of refused) {
  test(`${title}: 400`, async () => {
    assertProblem(await get(`/exec?${parameters}`), 400, 'bad_request');
  });
}

for (const parameters of [
  'handle=frame',
  'handle=frame&fmt=',
  'handle=frame&fmt=csv',
  'handle=frame&fmt=JSON',
  'query=select%201',
  'query=select%201&fmt=csv',
  'handle=frame&fmt=json&fmt=json',
]) {
  test(`fmt missing or not json: 400; the text names json, and /exp for other formats: ${parameters}`, async () => {
    const problem = assertProblem(await get(`/exec?${parameters}`), 400, 'bad_request');
    const text = `${problem.detail} ${problem.hint ?? ''}`;
    if (parameters.match(/fmt=/g)?.length !== 2) {
      assert.match(text, /json/);
      assert.match(text, /\/exp\b/);
    }
  });
}

for (const limit of ['-1', '1.5', 'ten', '', '1e3', '+1', '0x10', '1234567890123456', ' 1', '١', '5001']) {
  test(`limit not ^\\d{1,15}$ or above http.limit_max: 400: ${JSON.stringify(limit)}`, async () => {
    assertProblem(await exec(framehold.url, { handle: 'frame', fmt: 'json', limit }), 400, 'bad_request');
  });
}

test('limit given twice: 400', async () => {
  assertProblem(await get('/exec?handle=frame&fmt=json&limit=1&limit=2'), 400, 'bad_request');
});

test('limit at http.limit_max is taken', async () => {
  assert.equal((await get('/exec?handle=frame&fmt=json&limit=5000')).status, 200);
});

test('limit=0 gives columns and no rows', async () => {
  const result = JSON.parse((await get('/exec?handle=frame&fmt=json&limit=0')).text);
  assert.equal(result.columns.length, 2);
  assert.deepEqual(result.dataset, []);
  assert.equal(result.count, 0);
});

test('unknown handle: 404', async () => {
  assertProblem(await get('/exec?handle=nobody&fmt=json'), 404, 'frame_not_found');
  assertProblem(await get('/exec?handle=frame@99&fmt=json'), 404, 'frame_not_found');
});

test('a text that can be no handle: 400', async () => {
  assertProblem(await exec(framehold.url, { handle: '../etc', fmt: 'json' }), 400, 'bad_handle');
  assertProblem(await exec(framehold.url, { handle: 'frame@0', fmt: 'json' }), 400, 'bad_handle');
});

test('gone: 410', async () => {
  const { frame } = await arrowBytes({ frame: `pa.table({'n': [1]})` });
  await putFrame(framehold.url, 'dropped', frame);
  assert.equal((await fetch(`${framehold.url}/v1/frames/dropped`, { method: 'DELETE' })).status, 204);
  assertProblem(await get('/exec?handle=dropped&fmt=json'), 410, 'frame_gone');
});

test('HEAD is as GET without a body', async () => {
  const target = '/exec?handle=frame&fmt=json';
  const [get, head] = await Promise.all([
    rawGet(framehold.url, target),
    rawGet(framehold.url, target, {}, { method: 'HEAD' }),
  ]);
  assert.equal(head.status, 200);
  assert.equal(head.headers['content-type'], get.headers['content-type']);
  assert.equal(head.body.length, 0);
  const missing = await rawGet(framehold.url, '/exec?handle=nobody&fmt=json', {}, { method: 'HEAD' });
  assert.equal(missing.status, 404);
  assert.equal(missing.body.length, 0);
});

test('HEAD is 405 in proxy mode', async () => {
  const answer = await rawGet(framehold.url, '/exec?query=select%201&fmt=json', {}, { method: 'HEAD' });
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.allow, 'GET');
});

for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
  test(`another method: ${method} is 405 with Allow`, async () => {
    const answer = await rawGet(
      framehold.url,
      '/exec?handle=frame&fmt=json',
      { 'content-length': '0' },
      { method },
    );
    assert.equal(answer.status, 405);
    assert.ok((answer.headers.allow ?? '').split(', ').includes('GET'), answer.headers.allow);
  });
}

test('parameters of others are left alone in handle mode', async () => {
  const answer = await get('/exec?handle=frame&fmt=json&limit=1&count=true&nm=true&_=123');
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['query', 'columns', 'dataset', 'count']);
});

test('the 412 hint names both variables', async () => {
  const problem = assertProblem(await get('/exec?query=select%201&fmt=json'), 412, 'tsdb_not_configured');
  assert.match(problem.hint ?? '', /SERVICE_TSDB_HTTP_URL/);
  assert.match(problem.hint ?? '', /FRAMEHOLD_TSDB_HTTP_URL/);
  assert.match(problem.hint ?? '', /POST \/v1\/sql/);
});

test('a + in a parameter is a space, as in HTML forms', async () => {
  const problem = assertProblem(await get('/exec?query=select+1&fmt=json'), 412);
  assert.equal(problem.query, 'select 1');
});

test('a broken percent escape is 400', async () => {
  assertProblem(await get('/exec?handle=%E0%A4%A&fmt=json'), 400);
});
