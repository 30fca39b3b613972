import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { renderPools } from '../../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../../src/encode/renderer.ts';
import { ignoredHeader } from '../../../src/http/request/unknown-parameters.ts';
import { readingOf, sampleFrames } from '../../encode/sample-frames.ts';
import { assertProblem, getText } from '../../support/frame-client.ts';
import { rawHttp } from '../../support/raw-http.ts';
import { type BareListener, fakeDatabase, heldFrame, startBareListener } from '../bare-listener.ts';

let renderer: WorkerRenderer;
let listener: BareListener;
const forwarded: string[] = [];

before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  const frames = await sampleFrames();
  listener = await startBareListener({
    frames: heldFrame(readingOf([frames.path('long')])),
    renderer,
    ...fakeDatabase((rawQuery) => forwarded.push(rawQuery)),
  });
});
after(async () => {
  await listener.close();
  await renderer.close();
});

const slips: readonly (readonly [method: string, target: string, meant: string])[] = [
  ['GET', '/exp?handle=a&format=csv', 'fmt'],
  ['GET', '/exp?handle=a&limt=1', 'limit'],
  ['GET', '/exp?handle=a&ofset=1', 'offset'],
  ['GET', '/v1/frames/a/rows?Limit=1', 'limit'],
  ['GET', '/v1/frames/a/rows?cols=x', 'columns'],
  ['GET', '/v1/frames/a/rows?skip=1', 'offset'],
  ['GET', '/v1/frames/a/rows?quoteLargeNums=true', 'quoteLargeNum'],
  ['POST', '/v1/frames?expire=1h', 'ttl'],
  ['PUT', '/v1/frames/a?delim=;', 'delimiter'],
  ['POST', '/v1/frames/a/rows?sep=;', 'delimiter'],
  ['GET', '/v1/frames?prefx=a', 'prefix'],
  ['GET', '/v1/sql?sql=select+1', 'query'],
  ['POST', '/v1/frames/a/links?tll=1h', 'ttl'],
];

for (const [method, target, meant] of slips) {
  test(`${method} ${target} is refused, and asks whether ${meant} was meant`, async () => {
    const answer = await getText(listener.url + target, { method });
    const { detail, hint } = assertProblem(answer, 400, 'bad_request');
    assert.match(detail, /^This route has no parameter "/);
    assert.match(hint ?? '', new RegExp(`^Did you mean ${meant}\\? It takes .*\\b${meant}\\b`));
  });
}

test('routes without parameters say so, and HEAD is refused as GET', async () => {
  const { hint } = assertProblem(await getText(`${listener.url}/v1/queries?all=1`), 400, 'bad_request');
  assert.equal(hint, 'It takes none.');
  const head = await rawHttp(listener.url, 'HEAD /exp?handle=a&limt=1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
  assert.equal(head.status, 400);
});

test('a link is a credential: it is taken on every route', async () => {
  const answer = await getText(`${listener.url}/v1/frames/a/rows?link=x&limit=1`);
  assert.equal(answer.status, 200, answer.text);
});

test('probes may add what they like', async () => {
  for (const path of ['/ping', '/healthz', '/readyz', '/metrics'])
    assert.equal((await getText(`${listener.url}${path}?_=123`)).status, 200, path);
});

test('/exec takes what it does not know, and names it in a header', async () => {
  const lenient = await getText(`${listener.url}/exec?handle=a&fmt=json&limit=0&limt=1&cols=x&_=%0d%0a`);
  assert.equal(lenient.status, 200, lenient.text);
  assert.equal(lenient.headers.get('framehold-ignored-parameters'), 'limt, cols, _');
  const known = await getText(`${listener.url}/exec?handle=a&fmt=json&limit=0`);
  assert.equal(known.headers.get('framehold-ignored-parameters'), null);
  const refused = await getText(`${listener.url}/exec?handle=a&fmt=json&limit=x&limt=1`);
  assert.equal(refused.status, 400);
  assert.equal(refused.headers.get('framehold-ignored-parameters'), 'limt');
});

test("/exec passes QuestDB's cols on as it came, and names what it does not pass on", async () => {
  const answer = await getText(`${listener.url}/exec?query=a%2Bb&fmt=json&cols=x,%20y&offset=1`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(forwarded.splice(0), ['query=a%2Bb&fmt=json&cols=x,%20y']);
  assert.equal(answer.headers.get('framehold-ignored-parameters'), 'offset');
});

test('the header of ignored parameters stays short and plain', () => {
  assert.equal(ignoredHeader(['a\r\nb: c', 'é', '\ud800']), 'a%0D%0Ab%3A%20c, %C3%A9, %EF%BF%BD');
  const many = Array.from({ length: 100 }, (_, index) => `name${index}`.padEnd(60, 'x'));
  assert.ok(ignoredHeader(many).length < 600);
  assert.match(ignoredHeader(many), /, and 89 more$/);
});
