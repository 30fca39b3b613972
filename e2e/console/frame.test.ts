import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { GridOnPage } from '../../server/test/support/console-grid.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { pythonCommand } from '../../server/test/support/python.ts';

const csv = `time,symbol,price,size
2024-02-29T12:30:00.123456,BTC-USD,62450.5,0.25
2024-02-29T12:30:01.000001,ETH-USD,3421.75,1.5
2024-02-29T12:30:02.500000,BTC-USD,62449.0,0.0125
`;
const more = 'time,symbol,price,size\n2024-02-29T12:31:00.000000,SOL-USD,98.25,10.5\n';

describe('the screen of a frame', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;

  before(async () => {
    framehold = await Framehold.start();
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
    await request('PUT', 'frames/trades', csv);
    await request('POST', 'frames/trades/rows', more);
    const answer = await fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        sql: 'select symbol, count(*) as trades from "trades@1" join "trades@2" using (symbol) group by symbol',
        into: { name: 'counts' },
      }),
    });
    assert.equal(answer.status, 201, await answer.text());
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  async function request(
    method: string,
    path: string,
    body?: string | object,
  ): Promise<Record<string, unknown>> {
    const [type, text] =
      typeof body === 'object' ? ['application/json', JSON.stringify(body)] : ['text/csv', body];
    const answer = await fetch(`${framehold.url}/v1/${path}`, {
      method,
      ...(text === undefined ? {} : { headers: { 'content-type': type }, body: text }),
    });
    const answered = await answer.text();
    assert.ok(answer.ok, answered);
    return answered === '' ? {} : JSON.parse(answered);
  }

  const open = (hash: string): Promise<Page> => visitor.open(`${framehold.url}/${hash}`);

  it('shows what the columns are and what they contain', async () => {
    const page = await open('#/frames/trades/schema');
    await page.getByRole('cell', { name: 'TIMESTAMP', exact: true }).last().waitFor();
    await lookAt(page, 'schema');
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.getByText('2024-02-29T12:30:00.123456Z', { exact: true }).waitFor();
    const price = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'price' }) });
    await price.getByText('62450.5', { exact: true }).waitFor();
    await price.getByRole('img', { name: /Distribution of price/ }).waitFor();
    await page.getByText('SOL-USD', { exact: true }).first().waitFor();
    await lookAt(page, 'statistics');
    visitor.assertNoProblems();
    await page.close();
  });

  it('shows versions, compares two of them and restores one after asking', async () => {
    const page = await open('#/frames/trades/versions?from=1&to=2');
    await page.getByText('+ 1 row', { exact: true }).waitFor();
    await lookAt(page, 'versions');
    await page.getByRole('link', { name: 'Show the first of them' }).click();
    const grid = new GridOnPage(page);
    assert.deepEqual((await grid.row('4')).slice(2, 4), ['SOL-USD', '98.25']);
    await page.getByText('pinned to version 2').waitFor();

    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(
      (await request('GET', 'frames/trades')).version,
      2,
      'nothing happens without a confirmation',
    );
    await page.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 3 of trades has the 3 rows of version 1.').waitFor();
    await page.getByText('restored from version 1').waitFor();
    assert.equal((await request('GET', 'frames/trades')).rows, 3);
    visitor.assertNoProblems();
    await page.close();
  });

  it('names a version, moves the name and removes it', async () => {
    await request('PUT', 'frames/named', 'n\n1\n');
    await request('PUT', 'frames/named', 'n\n2\n');
    const page = await open('#/frames/named/versions');
    const row = (version: number) => page.getByRole('row', { name: `Version ${version}` });
    await row(1).getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Tag version 1' });
    await dialog.getByLabel('Tag').fill('1st');
    await dialog.getByRole('button', { name: 'Set the tag' }).click();
    await dialog.getByText('"1st" is not a valid tag.').waitFor();
    await dialog.getByLabel('Tag').fill('gold');
    await dialog.getByRole('button', { name: 'Set the tag' }).click();
    await row(1).getByRole('link', { name: 'gold' }).waitFor();
    await lookAt(page, 'tags');
    await row(2).getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByLabel('Tag', { exact: true }).fill('gold');
    await page.getByText('It names version 1 now.').waitFor();
    await page.getByRole('button', { name: 'Move the tag', exact: true }).click();
    await row(2).getByRole('link', { name: 'gold' }).click();
    await page.getByText('pinned to version 2').waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    await row(2).getByRole('button', { name: 'Remove the tag gold' }).click();
    await row(2).getByRole('link', { name: 'gold' }).waitFor({ state: 'detached' });
    assert.deepEqual(await request('GET', 'frames/named/tags'), { tags: [] });
    visitor.assertNoProblems();
    await page.close();
  });

  it('shows what people say of a frame and its columns, and takes more', async () => {
    await request('PUT', 'frames/said', 'price,size\n1,2\n');
    const page = await open('#/frames/said/schema');
    await page.getByRole('button', { name: 'Describe this frame' }).click();
    const dialog = page.getByRole('dialog', { name: 'About said' });
    await dialog.getByLabel('Description').fill('Trades of the day');
    await dialog.getByLabel('Owner').fill('Ann');
    await dialog.getByLabel('Labels').fill('daily, finance');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Owner: Ann').waitFor();
    await page.getByRole('button', { name: 'Describe price' }).click();
    const column = page.getByRole('dialog', { name: 'Column price' });
    await column.getByLabel('Comment').fill('at the close');
    await column.getByLabel('Unit').fill('USD');
    await column.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'at the close' }).waitFor();
    await lookAt(page, 'notes');
    assert.deepEqual(await request('GET', 'frames/said/notes'), {
      description: 'Trades of the day',
      owner: 'Ann',
      labels: ['daily', 'finance'],
      columns: { price: { comment: 'at the close', unit: 'USD' } },
    });
    await request('PATCH', 'frames/said/notes', { owner: 'Bob' });
    await page.getByText('Owner: Bob').waitFor();
    await page.getByRole('link', { name: 'finance' }).click();
    await page.getByRole('link', { name: 'said' }).waitFor();
    visitor.assertNoProblems();
    await page.close();
  });

  it('offers a newer version instead of changing under the reader', async () => {
    await request('PUT', 'frames/live', 'n\n1\n2\n');
    const page = await open('#/frames/live');
    const grid = new GridOnPage(page);
    await grid.isDrawn();
    // The page follows the server's events once it is connected.
    await page.getByRole('img', { name: /^Live/ }).waitFor();
    await request('POST', 'frames/live/rows', 'n\n3\n');
    await page.getByText('Version 2 is newer.').waitFor();
    assert.equal((await grid.rows()).length, 2);
    await page.getByRole('button', { name: 'Show' }).click();
    assert.deepEqual(await grid.row('3'), ['3', '3']);
    visitor.assertNoProblems();
    await page.close();
  });

  it('tells where the rows come from, with links', async () => {
    const page = await open('#/frames/counts/provenance');
    await page.getByText('group by symbol').waitFor();
    await lookAt(page, 'provenance');
    await page.getByRole('link', { name: /trades@1/ }).click();
    await page.getByText('pinned to version 1').waitFor();
    visitor.assertNoProblems();
    await page.close();
  });

  it('gives snippets that work, with the right address and a pinned version', async () => {
    const page = await open('#/frames/counts/snippets');
    await page.getByText('v1/files/counts@1.csv').waitFor();
    await lookAt(page, 'snippets');
    const snippet = async (language: string) => {
      await page.getByRole('tab', { name: language, exact: true }).click();
      return (await page.getByRole('tabpanel', { name: language }).locator('pre').textContent()) ?? '';
    };
    for (const language of ['Python', 'pandas', 'polars', 'DuckDB']) {
      const run = await promisify(execFile)(pythonCommand, ['-c', await snippet(language)], {
        cwd: framehold.home,
      });
      assert.match(run.stdout, language === 'Python' ? /trades: int64/ : /BTC-USD/, language);
    }
    visitor.assertNoProblems();
    await page.close();
  });

  it('sets and clears the expiry', async () => {
    const page = await open('#/frames/counts');
    await page.getByRole('button', { name: 'never' }).click();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByText('counts expires in 7 d.').waitFor();
    assert.notEqual((await request('GET', 'frames/counts')).expiresAt, null);
    await page.getByRole('button', { name: 'in 7 d' }).click();
    await page.getByRole('textbox', { name: 'Another time' }).fill('soon');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText(/ttl/).waitFor();
    await lookAt(page, 'expiry');
    await page.getByRole('button', { name: 'Never' }).click();
    await page.getByText('counts no longer expires.').waitFor();
    assert.equal((await request('GET', 'frames/counts')).expiresAt, null);
    await page.close();
  });

  it('shares by a link, lists it and revokes it', async () => {
    const page = await open('#/frames/counts');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByRole('textbox', { name: 'The new link' }).inputValue();
    assert.ok(link.startsWith(`${framehold.url}/v1/frames/counts@1/rows?link=`), link);
    assert.equal((await fetch(`${link}&fmt=csv`)).status, 200);
    await lookAt(page, 'share-dialog');
    await page.getByRole('textbox', { name: 'Tenant' }).fill('acme');
    await page.getByRole('button', { name: 'Share', exact: true }).last().click();
    await page.getByRole('button', { name: 'Stop sharing with acme' }).click();
    await page.getByRole('button', { name: 'Stop sharing with acme' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'hidden' });
    assert.equal((await fetch(`${link}&fmt=csv`)).status, 410);
    visitor.assertNoProblems();
    await page.close();
  });

  it('downloads the bytes that the server sends to programs', async () => {
    const page = await open('#/frames/counts');
    await page.getByRole('button', { name: 'Download' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV', exact: false }).first().click(),
    ]);
    assert.equal(download.suggestedFilename(), 'counts@1.csv');
    const expected = await (await fetch(`${framehold.url}/exp?handle=counts@1&fmt=csv`)).text();
    assert.equal(readFileSync(await download.path(), 'utf8'), expected);
    await page.close();
  });

  it('appends a file, and drops with a way back', async () => {
    await request('PUT', 'frames/small', 'n\n1\n');
    const page = await open('#/frames/small');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Append rows' }).click();
    const dialog = page.getByRole('dialog', { name: 'Append rows to small' });
    await dialog.getByLabel('File').setInputFiles({
      name: 'bad.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('n\nnot a number\n'),
    });
    await dialog.getByRole('button', { name: 'Append' }).click();
    await dialog.getByRole('alert').waitFor();
    await lookAt(page, 'append');
    await dialog.getByLabel('File').setInputFiles({
      name: 'more.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('n\n2\n3\n'),
    });
    await dialog.getByRole('button', { name: 'Append' }).click();
    await page.getByText('Version 2 of small has 3 rows.').waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Drop small' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    assert.equal((await fetch(`${framehold.url}/v1/frames/small`)).status, 410);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually('it is back', async () => (await fetch(`${framehold.url}/v1/frames/small`)).ok);
    visitor.assertNoProblems();
    await page.close();
  });

  it('says what is wrong with a handle that does not exist', async () => {
    const page = await open('#/frames/absent');
    await page.getByRole('alert').getByText('absent').waitFor();
    await lookAt(page, 'absent');
    await page.close();
  });
});
