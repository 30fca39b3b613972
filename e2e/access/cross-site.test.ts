/**
 * What pages of other sites can reach, in a real browser: every way in which a page makes a request, to every kind of address. Only a navigation
 * to the console, or to a link in force, is answered, and always by the console's page.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { linkKeyFile } from '../../server/src/auth/link-key-file.ts';
import { LinkSigner } from '../../server/src/auth/link-signer.ts';
import { ConsoleBrowser, type Visitor } from '../../server/test/support/console-browser.ts';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { ForeignSite, foreignNames } from '../../server/test/support/foreign-site.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';

const answer =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
const host = 'evil.example';
let site: ForeignSite;
let browser: ConsoleBrowser;
let visitor: Visitor;
let tab: Page;
let database: FakeUpstream;
/** Open to programs, as a server at home is: only the rules for browsers keep pages out. */
let open: Framehold;
/** With credentials, and with a site that may show it in a frame. */
let closed: Framehold;
let links: Record<'open' | 'closed', SampleLinks>;

interface SampleLinks {
  readonly valid: string;
  readonly revoked: string;
  readonly expired: string;
  readonly changed: string;
}

before(async () => {
  [site, browser, database] = await Promise.all([
    ForeignSite.start(),
    ConsoleBrowser.start([foreignNames]),
    FakeUpstream.start(({ socket }) => socket.end(answer)),
  ]);
  [open, closed] = await Promise.all([
    Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: database.url } }),
    Framehold.start({ env: { FRAMEHOLD_HTTP_FRAME_ANCESTORS: site.origin('friend.example') } }),
  ]);
  visitor = await browser.visitor();
  tab = await visitor.context.newPage();
  const token = newToken(closed.dataDirectory, 'default', 'write');
  links = {
    open: await sampleLinks(open, {}),
    closed: await sampleLinks(closed, { authorization: `Bearer ${token}` }),
  };
});
after(async () => {
  await visitor?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  for (const framehold of [open, closed]) await framehold?.remove();
  await database?.stop();
  await site?.[Symbol.asyncDispose]();
});

/** Puts a frame and makes links to it, as paths. */
async function sampleLinks(
  { url, dataDirectory }: Framehold,
  headers: Record<string, string>,
): Promise<SampleLinks> {
  for (const name of ['held', 'other']) {
    const put = await fetch(`${url}/v1/frames/${name}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'text/csv' },
      body: 'n\n1\n',
    });
    assert.equal(put.status, 201);
  }
  const make = async () => {
    const made = await fetch(`${url}/v1/frames/held/links?ttl=1h`, { method: 'POST', headers });
    return (await made.json()) as { id: string; url: string; link: string };
  };
  const [valid, revoked] = [await make(), await make()];
  const gone = await fetch(`${url}/v1/frames/held/links/${revoked.id}`, { method: 'DELETE', headers });
  assert.equal(gone.status, 204);
  const signer = new LinkSigner(linkKeyFile(join(dataDirectory, 'links.key')));
  const expired = signer.sign({ tenant: 'default', name: 'held', version: 1, expiresAt: Date.now() - 1 });
  const path = (text: string) => text.slice(url.length);
  return {
    valid: path(valid.url),
    revoked: path(revoked.url),
    expired: `/v1/frames/held@1/rows?link=${expired}`,
    changed: `${path(valid.url).slice(0, -3)}AAA`,
  };
}

const clicked = (html: string) => ({ html, act: (page: Page) => page.click('#go') });
const quoted = (url: string) => url.replaceAll('&', '&amp;');

interface Way {
  readonly html: string;
  readonly act: (page: Page) => Promise<unknown>;
}

/** How a page makes the browser show something else. */
const navigations: Readonly<Record<string, (url: string) => Way>> = {
  'a link': (url) => clicked(`<a id="go" href="${quoted(url)}">x</a>`),
  'a link to a new tab': (url) => clicked(`<a id="go" target="_blank" href="${quoted(url)}">x</a>`),
  'window.open': (url) => clicked(`<button id="go" onclick="window.open('${quoted(url)}')">x</button>`),
  'a script': (url) => clicked(`<button id="go" onclick="location.assign('${quoted(url)}')">x</button>`),
  'a redirection': (url) => clicked(`<a id="go" href="/redirect?to=${encodeURIComponent(url)}">x</a>`),
  'a form': (url) => {
    const { origin, pathname, searchParams } = new URL(url);
    const fields = [...searchParams].map(
      ([name, value]) => `<input name="${name}" value="${quoted(value)}">`,
    );
    return clicked(`<form action="${origin}${pathname}">${fields.join('')}<button id="go">x</button></form>`);
  },
};

/** How a page makes the browser ask for something without leaving, or send something. */
const others: Readonly<Record<string, (url: string) => string>> = {
  'a frame': (url) => `<iframe src="${quoted(url)}"></iframe>`,
  'an object': (url) => `<object data="${quoted(url)}"></object>`,
  'an embedded thing': (url) => `<embed src="${quoted(url)}">`,
  'an image': (url) => `<img src="${quoted(url)}">`,
  'a script file': (url) => `<script src="${quoted(url)}"></script>`,
  'a module': (url) => `<script type="module" src="${quoted(url)}"></script>`,
  'a style sheet': (url) => `<link rel="stylesheet" href="${quoted(url)}">`,
  'a prefetch': (url) => `<link rel="prefetch" href="${quoted(url)}">`,
  fetch: (url) => `<script>fetch('${url}').catch(() => {})</script>`,
  'fetch without CORS': (url) => `<script>fetch('${url}', { mode: 'no-cors' }).catch(() => {})</script>`,
  'a beacon': (url) => `<script>navigator.sendBeacon('${url}', 'x')</script>`,
  'a form that posts': (url) =>
    `<form method="post" target="_blank" action="${quoted(url)}"><button>x</button></form>`,
};

let fences = 0;
/** On requests of the test itself. */
const own = { headers: { 'x-request-id': 'own-request' } };

/** Where the lines of the log begin that are about what comes next: they are written a moment later than things happen. */
async function fence(framehold: Framehold): Promise<number> {
  const id = `own-${fences++}`;
  await fetch(`${framehold.url}/nowhere`, { headers: { 'x-request-id': id } });
  return framehold.until('a line of the log', () => {
    const at = framehold.lines.findIndex(
      (line) => line.includes('"http-request"') && line.includes(`"${id}"`),
    );
    return at === -1 ? null : at + 1;
  });
}

/** The status of each request of the browser, as the log has it: a browser hides from pages, and from tests, what it has thrown away. */
async function loggedStatuses(framehold: Framehold, from: number, count: number): Promise<string[]> {
  const requests = () =>
    framehold.lines
      .slice(from)
      .filter((line) => line.includes('"event":"http-request"') && !line.includes('"own-'))
      .map((line) => JSON.parse(line) as { method: string; path: string; status: number })
      // The console of an earlier page has its line when its stream ends, which may be now.
      .filter(({ path }) => path !== '/v1/events');
  await framehold.until(`${count} requests`, () => (requests().length < count ? null : true));
  return requests().map(({ path, status }) => `${status} ${path}`);
}

/** The answer to the one request that the page makes. */
async function answerTo(framehold: Framehold, way: (url: string) => Way, path: string): Promise<Response> {
  const { html, act } = way(framehold.url + path);
  site.page = html;
  // Not what the console of an earlier page still asks for.
  const isAsked = (response: Response) =>
    response.request().isNavigationRequest() && response.url().startsWith(framehold.url);
  await tab.goto(site.origin(host), { waitUntil: 'commit' });
  const answered = visitor.context.waitForEvent('response', isAsked);
  await act(tab);
  const response = await answered;
  await response.finished();
  await closeOthers();
  return response;
}

/** Closes the tabs that pages have opened: when they show something, because the browser may wait for ever for one that is about to. */
async function closeOthers(): Promise<void> {
  for (const page of visitor.context.pages()) {
    if (page === tab) continue;
    await page.waitForLoadState('domcontentloaded');
    await page.close();
  }
}

function outcomeOf(response: Response): string {
  const isPage = (response.headers()['content-type'] ?? '').startsWith('text/html');
  return isPage ? `${response.status()} page` : String(response.status());
}

/** Navigations for which the whole table is walked through; the others begin and end the same way in the browser. */
const thorough = ['a link', 'window.open'];
const statement = '/exec?query=drop%20table%20x&fmt=json';
/** Whatever the way, none of these is for a page of another site. */
const refusedPaths = [
  statement,
  '/exec?handle=held&fmt=json',
  '/exp?handle=held&fmt=csv',
  '/v1/frames',
  '/v1/frames/held@1/rows',
  '/v1/sql?query=select%201',
  '/v1/openapi.json',
  '/healthz',
  '/nowhere',
];

for (const [name, way] of Object.entries(navigations)) {
  test(`${name} of another site leads to the console and to links in force, and nowhere else`, async () => {
    const { valid, revoked, expired, changed } = links.open;
    const expected: Record<string, string> = {
      '/': '200 page',
      '/?utm_source=mail': '200 page',
      [valid]: '200 page',
      // A program would get rows of this one.
      [`${valid}&fmt=csv`]: '200 page',
      [revoked]: '403',
      [expired]: '403',
      [changed]: '403',
      [valid.replace('/held@1/', '/other@1/')]: '403',
      [valid.replace('/held@1/', '/held/')]: '403',
      [valid.replace('/v1/frames/held@1/rows?', '/exp?handle=held@1&')]: '403',
      [valid.replace('/v1/frames/held@1/rows?', '/exec?fmt=json&handle=held@1&')]: '403',
      [valid.replace('/rows?', '?')]: '403',
      ...Object.fromEntries(refusedPaths.map((path) => [path, '403'])),
    };
    const found: Record<string, string> = {};
    const paths = Object.keys(expected);
    const chosen = thorough.includes(name)
      ? paths
      : ['/', valid, `${valid}&fmt=csv`, revoked, statement, '/v1/frames'];
    for (const path of chosen) found[path] = outcomeOf(await answerTo(open, way, path));
    assert.deepEqual(found, Object.fromEntries(chosen.map((path) => [path, expected[path]])));
    assert.deepEqual(database.seen, [], 'no statement gets to the database');
  });
}

for (const [name, htmlOf] of Object.entries(others)) {
  test(`${name} of another site gets nothing at all`, async () => {
    const paths = ['/', links.open.valid, `${links.open.valid}&fmt=json`, statement, '/v1/frames'];
    const from = await fence(open);
    site.page = paths.map((path) => htmlOf(open.url + path)).join('');
    await tab.goto(site.origin(host));
    for (const button of await tab.locator('button').all()) await button.click();
    const refused = paths.map((path) => `403 ${path.split('?')[0]}`);
    assert.deepEqual((await loggedStatuses(open, from, paths.length)).sort(), refused.sort());
    await closeOthers();
    assert.deepEqual(database.seen, []);
    const listed = (await (await fetch(`${open.url}/v1/frames`, own)).json()) as {
      frames: { name: string }[];
    };
    assert.deepEqual(
      listed.frames.map(({ name }) => name),
      ['held', 'other'],
    );
  });
}

test('a server with credentials answers the same way', async () => {
  const link = navigations['a link'] as (url: string) => Way;
  const { valid, revoked, expired, changed } = links.closed;
  for (const [path, expected] of [
    ['/', '200 page'],
    [valid, '200 page'],
    [revoked, '403'],
    [expired, '403'],
    [changed, '403'],
    [valid.replace('/held@1/', '/other@1/'), '403'],
    ['/v1/frames', '403'],
    [statement, '403'],
  ] as const)
    assert.equal(outcomeOf(await answerTo(closed, link, path)), expected, path);
});

test('the page that opened the console has no hold on it', async () => {
  site.page = `<button id="go" onclick="opened = window.open('${open.url}/')">x</button>`;
  await tab.goto(site.origin(host));
  const [popup] = await Promise.all([visitor.context.waitForEvent('page'), tab.click('#go')]);
  await popup.waitForLoadState();
  assert.equal(new URL(popup.url()).origin, open.url);
  assert.equal(await tab.evaluate('opened.closed'), true, 'cut off, as the policy of the opener says');
  assert.equal(await popup.evaluate('window.opener'), null);
  await closeOthers();
});

test('a link that was clicked elsewhere opens a page that loads all of its files', async () => {
  site.page = `<a id="go" href="${closed.url}${links.closed.valid}">x</a>`;
  const page = await visitor.context.newPage();
  const failed: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') failed.push(message.text());
  });
  await page.goto(site.origin(host));
  await page.click('#go');
  await page.waitForURL(`${closed.url}/v1/frames/held@1/rows?**`);
  await page.waitForLoadState('networkidle');
  const loaded = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  )) as string[];
  assert.ok(loaded.filter((path) => path.startsWith('/assets/')).length >= 2, loaded.join());
  assert.deepEqual(
    failed.filter((line) => line.includes('/assets/') || line.includes('Content Security Policy')),
    [],
  );
  await page.close();
});

test('only the configured site can show the console in a frame, and nothing else', async () => {
  const frame = (url: string) => `<iframe src="${quoted(url)}"></iframe>`;
  const refused = [statement, '/v1/frames', links.closed.revoked, '/v1/frames/held@1/rows'];
  await tab.goto('about:blank');
  const from = await fence(closed);
  site.page = refused.map((path) => frame(closed.url + path)).join('');
  await tab.goto(site.origin('friend.example'));
  assert.deepEqual(
    (await loggedStatuses(closed, from, refused.length)).sort(),
    refused.map((path) => `403 ${path.split('?')[0]}`).sort(),
  );
  for (const path of ['/', links.closed.valid])
    for (const [name, isShown] of [
      ['friend.example', true],
      [host, false],
    ] as const) {
      site.page = frame(closed.url + path);
      await tab.goto(site.origin(name));
      const shown = tab.frames()[1]?.url();
      // The server cannot know which site it is: the browser shows an error of its own.
      assert.equal(
        shown,
        isShown ? closed.url + path : 'chrome-error://chromewebdata/',
        `${path} in ${name}`,
      );
    }
});

test('in the address bar a link that has ended says why, and a format is a download', async () => {
  const page = await visitor.context.newPage();
  const shown = async (path: string) => outcomeOf((await page.goto(closed.url + path)) as Response);
  assert.equal(await shown(links.closed.revoked), '410 page');
  assert.equal(await shown(links.closed.expired), '401 page');
  assert.equal(await shown(links.closed.changed), '401 page');
  assert.equal(await shown(links.closed.valid), '200 page');
  // From the console itself: large downloads go this way.
  await page.goto(`${closed.url}/`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(`location.assign('${links.closed.valid}&fmt=json')`),
  ]);
  assert.equal(download.suggestedFilename(), 'held@1.json');
  const stream = await download.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  assert.match(Buffer.concat(chunks).toString(), /"dataset":\[\[1\]\]/);
  await page.close();
});
