import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { eventually } from '../../server/test/support/patience.ts';

describe('the engine of a query', () => {
  let browser: ConsoleBrowser;
  let visitor: Visitor;
  let framehold: Framehold;
  let plain: Framehold;

  before(async () => {
    // Nothing listens there: what arrives can be told by the answer.
    const env = { FRAMEHOLD_SPARK_URL: `sc://127.0.0.1:${await freePort()}` };
    [framehold, plain] = await Promise.all([Framehold.start({ env }), Framehold.start()]);
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await Promise.all([framehold?.remove(), plain?.remove()]);
  });

  async function open(server: Framehold): Promise<Page> {
    const page = await visitor.open(`${server.url}/#/query`);
    await page.getByRole('textbox', { name: 'SQL' }).and(page.locator('.cm-content')).waitFor();
    return page;
  }

  const choice = (page: Page) => page.getByRole('button', { name: /^Engine: / });

  it('is chosen in the toolbar, stays with its tab, and is what the server is asked for', async () => {
    const page = await open(framehold);
    assert.equal(await choice(page).textContent(), 'Engine: DuckDB');
    await choice(page).click();
    await page.getByRole('menuitemradio', { name: 'Spark' }).click();
    assert.equal(await page.getByRole('button', { name: 'Explain' }).count(), 0);
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.insertText('select 1 as one');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('Spark').first().waitFor();
    await lookAt(page, 'query-engine');
    await eventually('the tab is kept', async () =>
      (await page.evaluate<string>('Object.values(sessionStorage).join()')).includes('"engine":"spark"'),
    );
    await page.reload();
    await choice(page).waitFor();
    assert.equal(await choice(page).textContent(), 'Engine: Spark');
    await choice(page).click();
    await page.getByRole('menuitemradio', { name: 'DuckDB' }).click();
    await page.getByRole('button', { name: 'Explain' }).waitFor();
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: 'one' }).first().waitFor();
  });

  it('comes back with a statement of the history', async () => {
    const page = await open(framehold);
    await page.getByRole('button', { name: 'History' }).click();
    const entry = page.locator('.query-entry').filter({ hasText: 'Spark' }).first();
    await entry.click();
    await page.getByRole('button', { name: 'Engine: Spark' }).waitFor();
    assert.match((await entry.textContent()) ?? '', /Spark/);
  });

  it('is no question on a server that has one', async () => {
    const page = await open(plain);
    await page.getByRole('button', { name: 'Explain' }).waitFor();
    assert.equal(await choice(page).count(), 0);
  });
});
