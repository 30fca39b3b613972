import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';

/** Everything that the first screen loads, as it travels. */
const firstLoadBytesMax = 100_000;

describe('the console', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;

  before(async () => {
    framehold = await Framehold.start();
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
    for (const name of ['orders', 'old_orders', 'customers']) await put(framehold, name);
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  it('opens at the address of the server with less than 100 kB, and so does a frame', async () => {
    for (const [hash, ready] of [
      ['', 'link'],
      ['#/frames/orders', 'gridcell'],
    ] as const) {
      await using newcomer = await browser.visitor();
      let bytes = 0;
      newcomer.context.on('requestfinished', async (request) => {
        if (new URL(request.url()).pathname.startsWith('/v1/')) return;
        const { responseBodySize } = await request.sizes();
        bytes += responseBodySize;
      });
      const page = await newcomer.open(`${framehold.url}/${hash}`);
      await page
        .getByRole(ready, { name: ready === 'link' ? 'orders' : '5' })
        .first()
        .waitFor();
      // The stream of events never ends, so there is no idle network to wait for.
      await timePasses(1_000, 'what is loaded in the background counts, too');
      assert.ok(bytes > 10_000 && bytes < firstLoadBytesMax, `${hash}: ${bytes} bytes`);
      newcomer.assertNoProblems();
    }
  });

  it('says that the server is open, with the command that closes it, once a session', async () => {
    const page = await visitor.open(framehold.url);
    await page.getByText('This server is open').waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, /^framehold token create .*--scope admin$/);
    await page.getByRole('button', { name: 'Hide until this tab is closed' }).click();
    await page.reload();
    await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
    assert.equal(await page.getByText('This server is open').count(), 0);
    await page.close();
  });

  it('lists the keys, and turns single ones off', async () => {
    const page = await visitor.open(framehold.url);
    await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await lookAt(page, 'keys');
    await page.getByLabel('Shortcuts of a single character').uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Jump to' }).waitFor();
    assert.equal(await page.getByRole('dialog', { name: 'Keys' }).count(), 0);
    await page.evaluate('localStorage.clear()');
    await page.close();
  });

  it('jumps with Ctrl+K, and remembers where it was', async () => {
    const page = await visitor.open(framehold.url);
    await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ord');
    await page.getByRole('option', { name: /^old_orders/ }).waitFor();
    assert.deepEqual(await optionsOf(page), ['orders', 'old_orders', 'ord']);
    await lookAt(page, 'palette');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/frames\/old_orders$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /Recent/ }).waitFor();
    assert.equal((await optionsOf(page))[0], 'old_orders');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.close();
  });

  it('keeps the chosen theme', async () => {
    const page = await visitor.open(framehold.url);
    await page.getByRole('button', { name: 'Theme' }).press('ArrowDown');
    await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    assert.equal(await ground(), 'rgb(14, 20, 19)');
    await page.reload();
    assert.equal(await ground(), 'rgb(14, 20, 19)');
    await page.evaluate('localStorage.clear()');
    await page.close();
  });

  it('shows the statements that run, and stops one', async () => {
    const page = await visitor.open(`${framehold.url}/#/status`);
    await page.getByText('No statement waits or runs.').waitFor();
    const statement =
      'select count(*) from range(10000000) a, range(10000000) b where (a.range * b.range) % 7 = 3';
    const running = fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql' },
      body: statement,
    });
    const row = page.getByRole('row').filter({ hasText: statement });
    await row.waitFor();
    await lookAt(page, 'status');
    await row.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await running).status, 409);
    await page.getByText('No statement waits or runs.').waitFor();
    await page.close();
  });

  it('shows a page for an address that is none', async () => {
    const page = await visitor.open(`${framehold.url}/#/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.close();
    visitor.assertNoProblems();
  });
});

async function put(framehold: Framehold, name: string): Promise<void> {
  const answer = await fetch(`${framehold.url}/v1/frames/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'id,amount\n1,5\n2,7\n',
  });
  assert.equal(answer.status, 201, await answer.text());
}

async function optionsOf(page: Page): Promise<string[]> {
  return await page.locator('.palette-label').allTextContents();
}
