/** What a real browser lets pages do with a server that is open to programs: the headers that it sends are its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BrowserSite } from '../../server/test/support/browser.ts';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';

const answer =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
let site: BrowserSite;
let framehold: Framehold;
let database: FakeUpstream;

before(async () => {
  site = await BrowserSite.start();
  database = await FakeUpstream.start(({ socket }) => socket.end(answer));
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_HTTP_CORS_ORIGINS: site.origin('app.example'),
      FRAMEHOLD_TSDB_HTTP_URL: database.url,
    },
  });
  const put = await fetch(`${framehold.url}/v1/frames/held`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'n\n1\n',
  });
  assert.equal(put.status, 201);
});
after(async () => {
  await framehold.remove();
  await database.stop();
  await site[Symbol.asyncDispose]();
});

async function heldNames(): Promise<readonly string[]> {
  const listed = await fetch(`${framehold.url}/v1/frames`);
  return ((await listed.json()) as { frames: { name: string }[] }).frames.map(({ name }) => name);
}

/** Waits for so many audit lines of refused pages since `from`: they come through a pipe. */
async function refused(count: number, from: number): Promise<void> {
  const told = () => framehold.lines.slice(from).filter((line) => line.includes('origin_refused'));
  await framehold.until('audit lines', () => (told().length < count ? null : true));
  assert.equal(told().length, count, told().join('\n'));
}

const ask = (url: string, options = '{}') =>
  `await fetch('${url}', ${options}).then(async (r) => [r.type, r.status, await r.text()], (e) => e.name)`;
const statement = '/exec?query=drop%20table%20x&fmt=json';

test('a page of another site reads nothing and changes nothing, whichever way it asks', async () => {
  const { url } = framehold;
  const before = framehold.lines.length;
  const found = await site.visit(
    'evil.example',
    `const done = (element, source) => new Promise((resolve) => {
       element.onload = () => resolve('loaded');
       element.onerror = () => resolve('refused');
       element.src = source;
       document.body.append(element);
     });
     const read = ${ask(`${url}/exec?handle=held&fmt=json`)};
     const opaque = ${ask(`${url}${statement}`, "{ mode: 'no-cors' }")};
     const put = ${ask(`${url}/v1/frames/evil`, "{ method: 'PUT', body: 'n\\\\n1\\\\n', headers: { 'content-type': 'text/csv' } }")};
     const post = ${ask(`${url}/v1/frames`, "{ method: 'POST', mode: 'no-cors', body: 'n\\\\n1\\\\n', headers: { 'content-type': 'text/plain' } }")};
     const image = await done(new Image(), '${url}${statement}');
     const script = await done(document.createElement('script'), '${url}${statement}');
     const frame = await done(document.createElement('iframe'), '${url}${statement}');
     const beacon = navigator.sendBeacon('${url}${statement}', 'x');
     return { read, opaque, put, post, image, script };`,
    // The browser holds the PUT itself back, because its preflight was refused: all eight are in the audit log.
    () => refused(8, before),
  );
  assert.deepEqual(found, {
    read: 'TypeError',
    opaque: 'TypeError',
    put: 'TypeError',
    post: 'TypeError',
    image: 'refused',
    script: 'refused',
  });
  assert.deepEqual(await heldNames(), ['held']);
  assert.deepEqual(database.seen, []);
});

test('a form and a link of another site do not get there either', async () => {
  const before = framehold.lines.length;
  // Each navigates away from the page, in a frame of its own, so that the page is still there to report.
  await site.visit(
    'evil.example',
    `document.body.insertAdjacentHTML('beforeend', \`
       <iframe name="a"></iframe><iframe name="b"></iframe>
       <form id="f" target="a" method="post" enctype="text/plain" action="${framehold.url}/v1/frames"><input name="n" value="1"></form>
       <a id="l" target="b" href="${framehold.url}${statement}">x</a>\`);
     document.getElementById('f').submit();
     document.getElementById('l').click();
     return true;`,
    () => refused(2, before),
  );
  assert.deepEqual(await heldNames(), ['held']);
  assert.deepEqual(database.seen, []);
});

test('a name that was rebound to the server after its page had loaded opens nothing', async () => {
  const before = framehold.lines.length;
  const port = Number(new URL(framehold.url).port);
  const found = await site.visitRebound(
    'rebound.example',
    port,
    `const read = ${ask('/exec?handle=held&fmt=json')};
     const asked = ${ask(statement)};
     return [read, asked].map(([type, status, body]) => [type, status, JSON.parse(body).code]);`,
  );
  // The browser takes it for the page's own server: only the server can know better.
  assert.deepEqual(found, [
    ['basic', 403, 'origin_refused'],
    ['basic', 403, 'origin_refused'],
  ]);
  assert.deepEqual(database.seen, []);
  await refused(2, before);
});

test('a page that was allowed puts, reads and drops', async () => {
  const { url } = framehold;
  const found = await site.visit(
    'app.example',
    `const put = await fetch('${url}/v1/frames/mine', { method: 'PUT', body: 'n\\n9007199254740993\\n', headers: { 'content-type': 'text/csv', 'authorization': 'Bearer unused' } });
     const read = await fetch('${url}/exec?handle=mine&fmt=json');
     const rows = await read.text();
     const again = await fetch('${url}/v1/frames/mine', { headers: { 'if-none-match': put.headers.get('etag') } });
     const dropped = await fetch('${url}/v1/frames/mine', { method: 'DELETE' });
     const wrong = await fetch('${url}/exec?handle=mine&fmt=json');
     return { put: put.status, requestId: put.headers.has('x-request-id'), rows, again: again.status, dropped: dropped.ok, wrong: wrong.status };`,
  );
  assert.deepEqual(found, {
    put: 201,
    requestId: true,
    // As text: a browser's own numbers end before it.
    rows: '{"query":"handle:mine","columns":[{"name":"n","type":"LONG"}],"dataset":[[9007199254740993]],"count":1}',
    again: 304,
    dropped: true,
    wrong: 410,
  });
});

test('a page that was allowed reads the headers of ours, and sends them', async () => {
  const found = await site.visit(
    'app.example',
    `const names = ['framehold-handle', 'framehold-rows-total', 'framehold-ignored-parameters', 'framehold-query-id', 'content-disposition'];
     const read = (answer) => names.map((name) => answer.headers.get(name));
     const exec = await fetch('${framehold.url}/exec?handle=held&fmt=json&limt=1');
     const saved = await fetch('${framehold.url}/exp?handle=held&fmt=csv');
     const asked = await fetch('${framehold.url}/v1/sql?query=select+1', { headers: { 'framehold-query-id': 'mine' } });
     return [exec, saved, asked].map(read);`,
  );
  assert.deepEqual(found, [
    ['held@1', '1', 'limt', null, null],
    ['held@1', '1', null, null, 'attachment; filename="held@1.csv"'],
    [null, null, null, 'mine', 'inline; filename="mine.json"'],
  ]);
});

test('over plain HTTP, under a name that is not of this machine, only a credential keeps pages out', async () => {
  // A browser does not say for which site it asks if a connection is not private; see SECURITY.md.
  const name = `data.test:${new URL(framehold.url).port}`;
  const image = `return await new Promise((resolve) => {
    const image = new Image();
    image.onload = image.onerror = () => resolve(true);
    image.src = 'http://${name}${statement}';
  });`;
  await site.visit('evil.example', image);
  assert.equal(database.seen.length, 1);
  const token = newToken(framehold.dataDirectory, 'default', 'admin');
  await site.visit('evil.example', image);
  assert.equal(database.seen.length, 1);
  const asked = await fetch(`${framehold.url}${statement}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(asked.status, 200);
  assert.equal(database.seen.length, 2);
});
