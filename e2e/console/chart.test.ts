import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

describe('charts', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    framehold = await Framehold.start();
    // A column is called as the statements of charts call theirs, and one is a reserved word.
    await sql(
      `create table trades as select timestamp '2026-01-01' + interval (i) second as at,
        ['BTC-USD', 'ETH-USD', 'SOL-USD'][1 + (i % 3)::int] as series, 100 + 10 * sin(i / 5000.0) + i % 3 as price,
        9007199254740993 + i as bin from range(200000) t(i)`,
    );
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
    page = await visitor.open(`${framehold.url}/#/frames/trades/chart`);
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  async function sql(text: string): Promise<string> {
    const answer = await fetch(`${framehold.url}/v1/sql?fmt=csv`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql' },
      body: text,
    });
    assert.ok(answer.ok, answer.ok ? '' : await answer.text());
    return await answer.text();
  }

  const plot = () => page.getByRole('img', { name: /chart of/ });
  const parameters = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);

  async function tableOfChart(): Promise<string[][]> {
    await page.getByRole('button', { name: 'Table' }).click();
    const rows = page.getByRole('region', { name: 'Values of the chart' }).locator('tbody tr');
    await rows.first().waitFor();
    const texts = await page.evaluate<string[][]>(
      "[...document.querySelectorAll('.chart-table tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))",
    );
    await page.getByRole('button', { name: 'Table' }).click();
    return texts;
  }

  it('draws a frame of many rows from a few bins', async () => {
    await page.getByText('averages of 200,000 rows, per 5 minutes').waitFor();
    assert.match((await plot().getAttribute('aria-label')) ?? '', /price by at, 667 points/);
    await lookAt(page, 'chart-line');
  });

  it('has the values of the frame, exactly', async () => {
    const [first, ...others] = await tableOfChart();
    assert.equal(others.length, 499, 'the first 500 of 667 bins');
    const expected = await sql(
      `select avg(price) as a from trades where "at" < timestamp '2026-01-01 00:05:00'`,
    );
    assert.deepEqual(first, [
      '2026-01-01T00:00:00.000000 to 2026-01-01T00:04:59.000000',
      expected.split('\r\n')[1],
    ]);
    await page.getByLabel('Chart', { exact: true }).selectOption('bar');
    await page.getByRole('button', { name: 'price' }).click();
    await page
      .getByRole('menuitemcheckbox', { name: 'bin' })
      .or(page.getByRole('menuitemradio', { name: 'bin' }))
      .click();
    await page.getByLabel('As', { exact: true }).selectOption('max');
    await plot().waitFor();
    const exact = (await tableOfChart())[0]?.at(-1) ?? '';
    const greatest = BigInt(exact);
    assert.equal((greatest - 9007199254740993n + 1n) % 60n, 0n, `${exact}: the last of whole minutes`);
  });

  it('splits by a column, and keeps all of it in the address', async () => {
    await page.getByLabel('Chart', { exact: true }).selectOption('line');
    await page.getByLabel('As', { exact: true }).selectOption('avg');
    await page.getByLabel('Split by').selectOption('series');
    await page.locator('.chart-legend').getByText('BTC-USD · price').waitFor();
    const { chart, x, y, by } = Object.fromEntries(parameters());
    assert.deepEqual({ chart, x, y, by }, { chart: 'line', x: 'at', y: '["price","bin"]', by: 'series' });
    await page.reload();
    await page.locator('.chart-legend').getByText('SOL-USD · bin').waitFor();
  });

  it('draws categories, histograms and samples', async () => {
    const open = async (query: string) => {
      await page.goto(`${framehold.url}/#/frames/trades/chart?${query}`);
    };
    await open('chart=bar&x=series&agg=count');
    await page.getByText('counts of 200,000 rows').waitFor();
    assert.deepEqual(await tableOfChart(), [
      ['BTC-USD', '66667'],
      ['ETH-USD', '66667'],
      ['SOL-USD', '66666'],
    ]);
    await lookAt(page, 'chart-bars');
    await open('chart=histogram&x=price&agg=count');
    await page.getByText(/^counts of 200,000 rows, per/).waitFor();
    const counts = (await tableOfChart()).map(([, count]) => Number(count));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      200_000,
    );
    await open(`chart=scatter&x=price&y=${encodeURIComponent('["bin"]')}`);
    await page.getByText('a sample of 2,000 of 200,000 rows').waitFor();
    await lookAt(page, 'chart-scatter');
  });

  it('reads out values with the arrow keys', async () => {
    await page.goto(`${framehold.url}/#/frames/trades/chart?chart=bar&x=series&agg=count`);
    await plot().focus();
    await page.keyboard.press('ArrowRight');
    const tip = page.locator('.chart-tip');
    await tip.getByText('BTC-USD').waitFor();
    await page.keyboard.press('End');
    await tip.getByText('SOL-USD').waitFor();
    assert.match((await tip.textContent()) ?? '', /rows66666$/);
  });

  it('reported no problem', () => {
    visitor.assertNoProblems();
  });
});
