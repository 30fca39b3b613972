import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { arrowStreamType } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';

/** A put of each takes most of the file's time. */
const namesCount = inLongRun(10_000, 2_000);
/** Puts at a time: enough to keep both processors busy. */
const putsAtOnce = 48;

describe('the list of frames', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;

  before(async () => {
    framehold = await Framehold.start({ env: { FRAMEHOLD_LOG_LEVEL: 'warn' } });
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  it('offers three ways in on a new server', async () => {
    const page = await visitor.open(`${framehold.url}/#/frames`);
    await page.getByRole('heading', { name: 'Put a first frame' }).waitFor();
    assert.match(
      (await page.locator('pre').textContent()) ?? '',
      new RegExp(`${framehold.url}/v1/frames/trades`),
    );
    await lookAt(page, 'frames-empty');
    await page.getByRole('tab', { name: 'Python' }).click();
    assert.match((await page.locator('pre').textContent()) ?? '', /pyarrow/);
    await page.close();
  });

  it('shows what happens on the server as it happens, in every tab, over one stream', async () => {
    const streams = new Set<string>();
    visitor.context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/events') streams.add(request.frame().page().url());
    });
    const first = await visitor.open(`${framehold.url}/#/frames?tab=first`);
    await first.getByRole('img', { name: 'Live' }).waitFor();
    const second = await visitor.open(`${framehold.url}/#/frames?tab=second`);
    await second.getByRole('img', { name: 'Live' }).waitFor();
    await put(framehold, 'orders', 'id,amount\n1,5\n2,7\n');
    for (const page of [first, second]) await rowOf(page, 'orders').getByTitle('2 rows').waitFor();
    await append(framehold, 'orders', 'id,amount\n3,9\n');
    for (const page of [first, second]) await rowOf(page, 'orders').getByText('CSV, appended').waitFor();
    assert.deepEqual(
      [...streams].map((url) => new URL(url).hash),
      ['#/frames?tab=first'],
    );
    // The tab with the stream goes: the other reads on, and misses nothing.
    await first.close();
    await put(framehold, 'invoices', 'id\n1\n');
    await rowOf(second, 'invoices').waitFor();
    assert.equal(streams.size, 2);
    await second.close();
  });

  it('drops a frame, and undoes it', async () => {
    const page = await visitor.open(`${framehold.url}/#/frames`);
    await rowOf(page, 'orders').getByRole('button', { name: 'Actions for orders' }).click();
    await page.getByRole('menuitem', { name: 'Drop' }).click();
    await page.getByText('orders was dropped.').waitFor();
    await rowOf(page, 'orders').waitFor({ state: 'detached' });
    assert.equal((await fetch(`${framehold.url}/v1/frames/orders`)).status, 410);
    await page.getByRole('button', { name: 'Undo' }).click();
    await rowOf(page, 'orders').waitFor();
    assert.equal((await fetch(`${framehold.url}/v1/frames/orders`)).status, 200);
    await page.close();
  });

  it('stays smooth with thousands of names', async () => {
    await putMany(framehold, namesCount);
    const page = await visitor.open(`${framehold.url}/#/frames`);
    await page.getByText(`${(namesCount + 2).toLocaleString('en-US')} frames`).waitFor();
    await lookAt(page, 'frames');

    // Only what is in view exists.
    assert.ok((await page.locator('.entry-row').count()) < 100);

    // The end of the list is one jump away, and drawn at once.
    await page.evaluate("document.querySelector('.vlist').scrollTop = 1e9");
    await rowOf(page, 'orders').waitFor();

    // Each letter of a search is answered within the time in which it feels immediate.
    await page.keyboard.press('/');
    for (const text of ['m', 'ma', 'many 0199']) {
      const began = performance.now();
      await page.getByRole('searchbox', { name: 'Search frames' }).fill(text);
      const found = text === 'many 0199' ? '11' : namesCount.toLocaleString('en-US');
      await page.getByText(`${found} frames`).waitFor();
      assertTook(performance.now() - began, 200, `the search for ${text}`);
    }
    assert.equal(new URL(page.url()).hash, '#/frames?search=many+0199');

    const began = performance.now();
    await page.getByRole('button', { name: 'Rows' }).click();
    await page
      .getByRole('columnheader', { name: 'Rows', exact: true })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    assertTook(performance.now() - began, 300, 'sorting');

    // From the search with Enter, and back with the browser's button.
    await page.getByRole('searchbox', { name: 'Search frames' }).press('Enter');
    await page.waitForURL(/#\/frames\/many_00199$/);
    await page.goBack();
    await page.getByText('11 frames').waitFor();
    await page.close();
    visitor.assertNoProblems();
  });
});

function rowOf(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

async function put(framehold: Framehold, name: string, csv: string): Promise<void> {
  await send(`${framehold.url}/v1/frames/${name}`, 'PUT', csv);
}

async function append(framehold: Framehold, name: string, csv: string): Promise<void> {
  await send(`${framehold.url}/v1/frames/${name}/rows`, 'POST', csv);
}

async function send(url: string, method: string, csv: string): Promise<void> {
  const answer = await fetch(url, { method, headers: { 'content-type': 'text/csv' }, body: csv });
  assert.ok(answer.ok, await answer.text());
}

/** As Arrow, which needs no decoding. */
async function putMany(framehold: Framehold, count: number): Promise<void> {
  const rows = await fetch(`${framehold.url}/v1/frames/invoices/rows?fmt=arrow`);
  const body = await rows.arrayBuffer();
  let next = 0;
  await Promise.all(
    Array.from({ length: putsAtOnce }, async () => {
      while (next < count) {
        const name = `many_${String(next++).padStart(5, '0')}`;
        const answer = await fetch(`${framehold.url}/v1/frames/${name}`, {
          method: 'PUT',
          headers: { 'content-type': arrowStreamType },
          body,
        });
        assert.equal(answer.status, 201, await answer.text());
      }
    }),
  );
}
