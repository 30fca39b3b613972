import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { freePort } from '../../server/test/support/free-port.ts';

let browser: ConsoleBrowser;

before(async () => {
  browser = await ConsoleBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
});

describe('the console of a server with tokens', () => {
  let framehold: Framehold;
  let writer: string;

  before(async () => {
    framehold = await Framehold.start();
    writer = newToken(framehold.dataDirectory, 'acme', 'write');
    await putWithToken(framehold.url, 'orders', writer);
  });

  after(async () => {
    await framehold?.remove();
  });

  it('asks for a token, leads back to where the reader wanted to go, and forgets it when they sign out', async () => {
    await using visitor = await browser.visitor();
    const addresses: string[] = [];
    visitor.context.on('request', (request) => addresses.push(request.url()));
    const page = await visitor.open(`${framehold.url}/#/frames?search=ord`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('This server asks for a token.').waitFor();
    await lookAt(page, 'sign-in');

    await signIn(page, 'wrong');
    await page.getByText('The server does not accept this token.').waitFor();
    await signIn(page, writer);
    await page.getByRole('link', { name: 'orders' }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/frames?search=ord');
    // Not an open server: no banner.
    assert.equal(await page.getByText('This server is open').count(), 0);

    // A reload keeps the tab signed in. Another tab is on its own.
    await page.reload();
    await page.getByRole('link', { name: 'orders' }).waitFor();
    const other = await visitor.open(`${framehold.url}/#/status`);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('orders').count(), 0);

    assert.deepEqual(
      addresses.filter((address) => address.includes(writer)),
      [],
    );
    assert.deepEqual(await visitor.context.cookies(), []);
    assert.doesNotMatch(JSON.stringify(await page.evaluate('({ ...localStorage })')), new RegExp(writer));
    visitor.assertNoProblems();
  });

  it('returns to the sign-in screen when the token no longer works', async () => {
    await using visitor = await browser.visitor();
    const { id, token } = frameholdToken(
      framehold.dataDirectory,
      'create',
      '--tenant',
      'acme',
      '--scope',
      'read',
    );
    const page = await visitor.open(framehold.url);
    await signIn(page, String(token));
    await page.getByRole('link', { name: 'orders' }).waitFor();
    frameholdToken(framehold.dataDirectory, 'revoke', String(id));
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByText('The server no longer accepts this token').waitFor();
    assert.equal(await page.getByRole('link', { name: 'orders' }).count(), 0);
    visitor.assertNoProblems();
  });

  it('downloads a large frame with a link of one minute, and as a reader without one', async () => {
    const rows = await (await fetchWith(framehold.url, 'orders', writer)).text();
    for (const [scope, wantsLink] of [
      ['write', true],
      ['read', false],
    ] as const) {
      await using visitor = await browser.visitor();
      const page = await visitor.open(framehold.url);
      await signIn(page, newToken(framehold.dataDirectory, 'acme', scope));
      await page.getByRole('button', { name: 'Actions for orders' }).click();
      const coming = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Download CSV' }).click();
      const download = await coming;
      assert.equal(download.suggestedFilename(), 'orders@1.csv');
      assert.equal(new URL(download.url()).searchParams.has('link'), wantsLink);
      const chunks = await (await download.createReadStream()).toArray();
      assert.equal(Buffer.concat(chunks).toString(), rows);
      visitor.assertNoProblems();
    }
  });

  it('lists what other tenants share apart from what is yours', async () => {
    const other = newToken(framehold.dataDirectory, 'beta', 'write');
    await putWithToken(framehold.url, 'rates', other);
    const shared = await fetch(`${framehold.url}/v1/frames/rates/shares/acme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${other}` },
    });
    assert.equal(shared.status, 200, await shared.text());
    await using visitor = await browser.visitor();
    const page = await visitor.open(framehold.url);
    await signIn(page, writer);
    await page.getByRole('button', { name: /^Shared with you/ }).click();
    await page.getByRole('link', { name: 'beta:rates' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'orders', exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Actions for beta:rates' }).click();
    assert.equal(await page.getByRole('menuitem', { name: 'Drop' }).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'beta:rates' }).click();
    await page.getByRole('gridcell', { name: '7' }).waitFor();
    visitor.assertNoProblems();
  });

  it('shows an operator the tenants and their limits, and no frames', async () => {
    await using visitor = await browser.visitor();
    const page = await visitor.open(framehold.url);
    const { token } = frameholdToken(framehold.dataDirectory, 'create', '--scope', 'operator');
    await signIn(page, String(token));
    const row = page.getByRole('row', { name: /acme/ });
    await row.waitFor();
    assert.equal(new URL(page.url()).hash, '#/status');
    assert.equal(await page.getByRole('link', { name: 'Frames', exact: true }).count(), 0);
    await lookAt(page, 'status-operator');
    await row.getByRole('button', { name: 'Limits of acme' }).click();
    await page.getByLabel('Bytes').fill('lots');
    await page.getByRole('button', { name: 'Set limits' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Bytes').fill('10GB');
    await page.getByRole('button', { name: 'Set limits' }).click();
    await row.getByText(/Bytes: 1[0-9.]+ GB/).waitFor();
  });
});

describe('the console behind a proxy, under a path', () => {
  for (const strips of [true, false])
    it(`works if the proxy ${strips ? 'strips' : 'keeps'} the path`, async () => {
      const port = await freePort();
      const publicUrl = `http://127.0.0.1:${port}/data/frames`;
      const framehold = await Framehold.start({ env: { FRAMEHOLD_PUBLIC_URL: publicUrl } });
      const proxy = await startProxy(port, framehold.url, strips ? '/data/frames' : '');
      await using visitor = await browser.visitor();
      try {
        const page = await visitor.open(`${publicUrl}/`);
        await page.getByRole('heading', { name: 'Put a first frame' }).waitFor();
        assert.match(
          (await page.locator('pre').textContent()) ?? '',
          new RegExp(`${publicUrl}/v1/frames/trades`),
        );
        await page.getByRole('link', { name: 'Choose a file' }).click();
        await page.locator('input[type=file]').setInputFiles({
          name: 'orders.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from('id,amount\n1,9007199254740993\n'),
        });
        await page.getByRole('button', { name: 'Upload', exact: true }).click();
        await page.waitForURL(/#\/frames\/orders$/);
        await page.getByText('9007199254740993').waitFor();
        await page.getByRole('img', { name: 'Live' }).waitFor();

        const made = await fetch(`${publicUrl}/v1/frames/orders/links`, { method: 'POST' });
        const { url } = (await made.json()) as { readonly url: string };
        assert.ok(url.startsWith(`${publicUrl}/v1/frames/orders@1/rows?link=`), url);
        await using stranger = await browser.visitor();
        const shared = await stranger.open(url);
        await shared.getByText('9007199254740993').waitFor();
        await lookAt(shared, `share-${strips ? 'stripped' : 'kept'}`);
        stranger.assertNoProblems();
        visitor.assertNoProblems();
      } finally {
        proxy.closeAllConnections();
        proxy.close();
        await framehold.remove();
      }
    });
});

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function putWithToken(url: string, name: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/v1/frames/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: 'id,amount\n1,5\n2,7\n',
  });
  assert.equal(answer.status, 201, await answer.text());
}

async function fetchWith(url: string, name: string, token: string): Promise<Response> {
  return await fetch(`${url}/v1/frames/${name}/rows?fmt=csv`, {
    headers: { authorization: `Bearer ${token}` },
  });
}

/** Passes everything on, streams too, as a reverse proxy does. */
async function startProxy(port: number, target: string, strippedPath: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.slice(strippedPath.length) ?? '/';
    const onward = httpRequest(
      new URL(path === '' ? '/' : path, target),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  assert.equal((server.address() as AddressInfo).port, port);
  return server;
}
