import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { loadConsole } from '../../../src/http/console/console-files.ts';
import { SubPath } from '../../../src/http/request/sub-path.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { openAuthenticator } from '../../frames/open-authenticator.ts';
import { rawHttp } from '../../support/raw-http.ts';
import { sampleConsole, samplePage, sampleScript } from '../../support/sample-console.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { type BareListener, openBrowserRules, startBareListener } from '../bare-listener.ts';

/** The console needs no credential: this server accepts none. */
const closed = {
  ...openAuthenticator,
  isOpen: false,
  authenticate() {
    throw new FrameholdError('unauthenticated', 'No credential.');
  },
};
const folder = sampleConsole();
let listener: BareListener;
let framed: BareListener;
let unbuilt: BareListener;

before(async () => {
  const files = await loadConsole(folder);
  listener = await startBareListener({ console: files, authenticator: closed });
  framed = await startBareListener({
    console: files,
    authenticator: closed,
    compression: false,
    browsers: { ...openBrowserRules, frameAncestors: ['https://a.example', 'https://b.example:8443'] },
  });
  unbuilt = await startBareListener({ authenticator: closed });
});
after(async () => {
  for (const each of [listener, framed, unbuilt]) await each.close();
  removeFolder(folder);
});

/** As a browser or a program writes it: fetch would set headers of its own. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', at = listener) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return rawHttp(
    at.url,
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('')}\r\n`,
  );
}

test('anybody gets the page, under a policy that lets it load and do nothing else', async () => {
  const { status, headers, body } = await ask('/?utm_source=mail');
  assert.equal(status, 200);
  assert.equal(body.toString(), samplePage);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; frame-ancestors 'none'",
  );
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
});

test('the page is asked for again each time, and sent again only if it has changed', async () => {
  const { headers } = await ask('/');
  assert.equal(headers['cache-control'], 'no-cache');
  const again = await ask('/', { 'if-none-match': headers.etag ?? '' });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal((await ask('/', { 'if-none-match': '"another"' })).status, 200);
});

test('HEAD has the headers of GET', async () => {
  for (const path of ['/', '/assets/main-a1.js']) {
    const [get, head] = [await ask(path), await ask(path, {}, 'HEAD')];
    const { date: _, 'x-request-id': __, ...headers } = get.headers;
    assert.partialDeepStrictEqual(head.headers, headers);
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
  }
});

test('an asset is kept for ever, and comes in the best coding that was stored', async () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };
  const wanted: readonly (readonly [accept: string, coding: keyof typeof decoders])[] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['zstd', 'identity'],
    ['*', 'br'],
  ];
  for (const [accept, coding] of wanted) {
    const { status, headers, body } = await ask('/assets/main-a1.js', { 'accept-encoding': accept });
    assert.equal(status, 200);
    assert.equal(headers['content-encoding'] ?? 'identity', coding, accept);
    assert.equal(decoders[coding](body).toString(), sampleScript, accept);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers.vary, 'accept-encoding');
  }
  const plain = await ask('/assets/main-a1.js', { 'accept-encoding': 'br' }, 'GET', framed);
  assert.equal(plain.headers['content-encoding'], undefined, 'http.compression is off');
  assert.match((await ask('/assets/main-b2.css')).headers['content-type'] ?? '', /^text\/css/);
});

test('only the files of the build are there', async () => {
  const paths = ['none.js', 'main-a1.js.br', '..%2findex.html', '%2e%2e%2findex.html', 'main-a1.js/x', ''];
  for (const name of paths) {
    const { status, headers } = await ask(`/assets/${name}`);
    // A path of no route needs a credential, as ever.
    assert.ok(status === 404 || status === 401, `${name}: ${status}`);
    assert.match(headers['content-security-policy'] ?? '', /sandbox/);
  }
  assert.equal((await ask('/assets/main-a1.js?v=1')).status, 400);
  assert.equal((await ask('/', {}, 'POST')).headers.allow, 'GET, HEAD');
});

test('without a build the server says how to get one', async () => {
  const { status, body } = await ask('/', {}, 'GET', unbuilt);
  assert.equal(status, 404);
  assert.match(body.toString(), /npm run build/);
});

const navigation = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

test('a page of another site may lead to the page, and to nothing else', async () => {
  assert.equal((await ask('/', navigation)).status, 200);
  const others: readonly Record<string, string>[] = [
    { 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-dest': 'object' },
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'empty' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const other of others)
    assert.equal((await ask('/', { ...navigation, ...other })).status, 403, JSON.stringify(other));
  const { 'sec-fetch-mode': _, ...withoutMode } = navigation;
  assert.equal((await ask('/', withoutMode)).status, 403);
  for (const method of ['HEAD', 'POST', 'PUT'])
    assert.equal((await ask('/', navigation, method)).status, 403, method);
  for (const path of ['/assets/main-a1.js', '/exec?query=drop', '/healthz', '/v1/frames', '/nowhere'])
    assert.equal((await ask(path, navigation)).status, 403, path);
  const rebound = `GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n`;
  assert.equal((await rawHttp(listener.url, rebound)).status, 403);
});

test('a frame is for the sites that were configured: the browser compares them', async () => {
  const frame = { ...navigation, 'sec-fetch-dest': 'iframe' };
  const { status, headers } = await ask('/', frame, 'GET', framed);
  assert.equal(status, 200);
  assert.match(
    headers['content-security-policy'] ?? '',
    /frame-ancestors https:\/\/a\.example https:\/\/b\.example:8443$/,
  );
  assert.equal(headers['x-frame-options'], undefined);
  // What is not the console stays out of every frame.
  const refused = await ask('/v1/frames', frame, 'GET', framed);
  assert.equal(refused.status, 403);
  assert.equal(refused.headers['x-frame-options'], 'DENY');
});

test('under a sub-path everything is found with it and without it', async () => {
  const files = await loadConsole(folder);
  const publicUrl = 'https://data.example.com/team%20a/frames';
  const sub = await startBareListener({
    console: files,
    authenticator: openAuthenticator,
    publicUrl,
    subPath: new SubPath(publicUrl),
  });
  try {
    for (const prefix of ['', '/team%20a/frames', '/team%20a/fr%61mes']) {
      assert.equal((await ask(`${prefix}/`, {}, 'GET', sub)).body.toString(), samplePage, prefix);
      assert.equal((await ask(`${prefix}/assets/main-a1.js`, {}, 'GET', sub)).status, 200, prefix);
      assert.equal((await ask(`${prefix}/ping`, {}, 'GET', sub)).body.toString(), 'ok', prefix);
      assert.equal((await ask(`${prefix}/exec`, {}, 'GET', sub)).status, 400, prefix);
      assert.equal((await ask(`${prefix}//ping`, {}, 'GET', sub)).status, 404, prefix);
    }
    const redirected = await ask('/team%20a/frames?a=1', {}, 'GET', sub);
    assert.deepEqual([redirected.status, redirected.headers.location], [307, './frames/?a=1']);
    assert.equal((await ask('/team%20a/framesping', {}, 'GET', sub)).status, 404);
    assert.equal((await ask('/team%20a/frames', {}, 'POST', sub)).status, 405);
    // Also before the body is asked for.
    const waiting = await rawHttp(
      sub.url,
      'PUT /team%20a/frames/ping HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n',
    );
    assert.equal(waiting.status, 405);
  } finally {
    await sub.close();
  }
});

test('a folder with something else in it is refused at start', async () => {
  const other = temporaryFolder('no-console');
  assert.equal(await loadConsole(other), null);
  mkdirSync(join(other, 'assets'));
  writeFileSync(join(other, 'index.html'), samplePage);
  assert.equal((await loadConsole(other))?.assets.size, 0);
  writeFileSync(join(other, 'assets', 'program.exe'), '');
  await assert.rejects(loadConsole(other), /program\.exe.*not the console/);
  removeFolder(other);
});
