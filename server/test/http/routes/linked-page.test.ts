/** Who gets the page at the address of a link, and who gets rows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadConsole } from '../../../src/http/console/console-files.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { openAuthenticator } from '../../frames/open-authenticator.ts';
import { rawHttp } from '../../support/raw-http.ts';
import { sampleConsole } from '../../support/sample-console.ts';
import { removeFolder } from '../../support/temporary-folder.ts';
import { type BareListener, openBrowserRules, startBareListener } from '../bare-listener.ts';

const folder = sampleConsole();
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const path = '/v1/frames/held@1/rows';
let listener: BareListener;
let unbuilt: BareListener;

/** `good` is a link to held@1. Everybody may do everything, and there is no frame: a request for rows is 404. */
const authenticator = {
  ...openAuthenticator,
  linked: async (link: string) =>
    link === 'good' ? { tenant: 'default', name: 'held', version: 1, expiresAt: 9e15 } : null,
};
const frames = {
  resolve: async () => {
    throw new Error('rows');
  },
} as never;

before(async () => {
  listener = await startBareListener({ console: await loadConsole(folder), authenticator, frames });
  unbuilt = await startBareListener({ authenticator, frames });
});
after(async () => {
  for (const each of [listener, unbuilt]) await each.close();
  removeFolder(folder);
});

async function ask(target: string, headers: Record<string, string>, method = 'GET', at = listener) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return rawHttp(
    at.url,
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('')}\r\n`,
  );
}

/** `page`, or `rows` if the frames were asked for. */
async function got(target: string, headers: Record<string, string>, at = listener): Promise<string> {
  const { status, headers: sent } = await ask(target, headers, 'GET', at);
  if (status === 200 && sent['content-type']?.startsWith('text/html')) return 'page';
  return status === 500 ? 'rows' : String(status);
}

test('a browser gets the page, a program rows', async () => {
  const cases: readonly (readonly [accept: string | null, expected: 'page' | 'rows'])[] = [
    [browser, 'page'],
    ['text/html', 'page'],
    ['TEXT/HTML; charset=utf-8, application/json;q=0.9', 'page'],
    [null, 'rows'],
    ['*/*', 'rows'],
    ['application/json', 'rows'],
    ['text/csv', 'rows'],
    ['application/vnd.apache.arrow.stream', 'rows'],
    ['application/json, text/html', 'rows'],
    ['text/html;q=0.5, application/json', 'rows'],
    ['text/html;q=0, */*', 'rows'],
    ['text/*', 'rows'],
  ];
  for (const [accept, expected] of cases)
    assert.equal(
      await got(`${path}?link=good`, accept === null ? {} : { accept }),
      expected,
      accept ?? 'no Accept',
    );
  assert.equal(await got(`${path}?link=good&fmt=csv`, { accept: browser }), 'rows');
  assert.equal(await got(path, { accept: browser }), 'rows');
});

test('the page needs a link in force to the frame of the address', async () => {
  for (const target of [
    `${path}?link=bad`,
    '/v1/frames/other@1/rows?link=good',
    '/v1/frames/held@2/rows?link=good',
    '/v1/frames/held/rows?link=good',
    '/v1/frames/other:held@1/rows?link=good',
  ])
    assert.equal(await got(target, { accept: browser }), 'rows', target);
  assert.equal(await got('/v1/frames/default:held@1/rows?link=good', { accept: browser }), 'page');
  assert.equal(await got(`${path}?link=good&limt=1`, { accept: browser }), '400');
});

test('it is the page of the console, as seen from where it is', async () => {
  const { headers, body } = await ask(`${path}?link=good`, { accept: browser });
  assert.match(body.toString(), /src="\.\.\/\.\.\/\.\.\/assets\/main-a1\.js"/);
  assert.doesNotMatch(body.toString(), /"\.\/assets/);
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self'/);
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal(headers.vary, 'accept, sec-fetch-site');
  const again = await ask(`${path}?link=good`, { accept: browser, 'if-none-match': headers.etag ?? '' });
  assert.equal(again.status, 304);
  assert.match(again.headers['content-security-policy'] ?? '', /script-src 'self'/);
  const head = await ask(`${path}?link=good`, { accept: browser }, 'HEAD');
  assert.deepEqual([head.status, head.body.length], [200, 0]);
});

test('a link that has ended has its status and, for a person, the page that says so', async () => {
  const ended = await startBareListener({
    console: await loadConsole(folder),
    frames,
    authenticator: {
      ...openAuthenticator,
      authenticate: async ({ link }) => {
        throw new FrameholdError(link === 'late' ? 'unauthenticated' : 'link_revoked', 'It has ended.');
      },
    },
  });
  try {
    for (const [link, status] of [
      ['revoked', 410],
      ['late', 401],
    ] as const) {
      const shown = await ask(`${path}?link=${link}`, { accept: browser }, 'GET', ended);
      assert.equal(shown.status, status);
      assert.match(shown.body.toString(), /src="\.\.\/\.\.\/\.\.\/assets\/main-a1\.js"/);
      assert.match(shown.headers['content-security-policy'] ?? '', /script-src 'self'/);
      assert.equal(shown.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(shown.headers['cache-control'], 'no-store');
      assert.equal(shown.headers.etag, undefined);
      for (const [target, headers] of [
        [`${path}?link=${link}`, {}],
        [`${path}?link=${link}`, { accept: 'application/json' }],
        [`${path}?link=${link}&fmt=csv`, { accept: browser }],
        [`/v1/frames/held@1?link=${link}`, { accept: browser }],
        [`/exec?handle=held@1&fmt=json&link=${link}`, { accept: browser }],
      ] as const) {
        const told = await ask(target, headers, 'GET', ended);
        assert.equal(told.status, status, target);
        assert.match((JSON.parse(told.body.toString()) as { detail?: string }).detail ?? '', /ended/);
        assert.match(told.headers['content-security-policy'] ?? '', /sandbox/);
      }
    }
    const without = await ask(path, { accept: browser }, 'GET', ended);
    assert.match(without.headers['content-type'] ?? '', /json/);
  } finally {
    await ended.close();
  }
});

test('cross-site only the page is answered, whatever is accepted or asked for', async () => {
  const navigation = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  for (const target of [`${path}?link=good`, `${path}?link=good&fmt=csv`])
    for (const accept of [browser, '*/*', 'application/json'])
      assert.equal(await got(target, { ...navigation, accept }), 'page', `${target} ${accept}`);
  for (const target of [
    `${path}?link=bad`,
    path,
    `${path}?link=good&link=good`,
    '/v1/frames/%zz/rows?link=good',
  ])
    assert.notEqual(await got(target, { ...navigation, accept: browser }), 'page', target);
  for (const target of [`${path}?link=bad`, path, `${path}?link=good&link=good`])
    assert.equal(await got(target, { ...navigation, accept: browser }), '403', target);
  for (const other of [
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-mode': 'cors' },
    { origin: 'http://evil.example' },
  ])
    assert.equal(await got(`${path}?link=good`, { ...navigation, ...other }), '403', JSON.stringify(other));
  assert.equal((await ask(`${path}?link=good`, navigation, 'POST')).status, 403);
});

test('a server without a console gives rows, and nothing to other sites', async () => {
  assert.equal(await got(`${path}?link=good`, { accept: browser }, unbuilt), 'rows');
  const navigation = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  assert.equal(await got(`${path}?link=good`, navigation, unbuilt), '404');
});

test('an address that is passed on begins with a name of this server', async () => {
  const sharing = {
    link: async () => ({
      record: { name: 'held', version: 1, tenant: 'default' },
      id: 'one',
      link: 'fhl_x',
      expiresAt: 9e12,
    }),
  } as never;
  const urlOf = async (at: BareListener, host: string, headers: Record<string, string> = {}) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { body } = await rawHttp(
      at.url,
      `POST /v1/frames/held/links HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines.join('')}\r\n`,
    );
    return (JSON.parse(body.toString()) as { url: string }).url.replace('?link=fhl_x', '');
  };
  const plain = await startBareListener({ authenticator, sharing });
  const proxied = await startBareListener({ authenticator, sharing, trustProxy: true });
  const known = await startBareListener({
    authenticator,
    sharing,
    publicUrl: 'https://data.example.com/sub',
  });
  try {
    assert.equal(await urlOf(plain, 'localhost:9000'), `http://localhost:9000${path}`);
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'data.internal' };
    assert.equal(
      await urlOf(plain, 'localhost', forwarded),
      `http://localhost${path}`,
      'anybody can send these',
    );
    assert.equal(await urlOf(proxied, 'localhost', forwarded), `https://data.internal${path}`);
    // A name that is not known to be ours must not get into what people send to each other.
    const evil = { ...forwarded, 'x-forwarded-host': 'evil.example' };
    assert.equal(await urlOf(proxied, 'localhost', evil), path);
    assert.equal(await urlOf(known, 'localhost'), `https://data.example.com/sub${path}`);
  } finally {
    for (const each of [plain, proxied, known]) await each.close();
  }
});

test('pages of the public address may send changes, whatever Host the proxy sends', async () => {
  const browsers = { ...openBrowserRules, publicOrigin: 'https://data.example.com' };
  const at = await startBareListener({ authenticator, browsers });
  try {
    const statusOf = async (origin: string) => (await ask('/v1/frames', { origin }, 'PATCH', at)).status;
    assert.equal(await statusOf('https://data.example.com'), 405);
    assert.equal(await statusOf('http://localhost'), 405);
    for (const origin of ['http://data.example.com', 'https://data.example.com.evil.example', 'null'])
      assert.equal(await statusOf(origin), 403, origin);
  } finally {
    await at.close();
  }
});
