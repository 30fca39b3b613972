import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';

describe('uploading in the console', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;

  before(async () => {
    framehold = await Framehold.start();
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  const manifest = async (name: string) =>
    (await (await fetch(`${framehold.url}/v1/frames/${name}`)).json()) as {
      readonly version: number;
      readonly rows: number;
      readonly expiresAt: string | null;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    };

  it('shows how a dropped file is read, and stores it as it was chosen', async () => {
    const page = await visitor.open(framehold.url);
    await drop(
      page,
      'Städte 2024 (final).csv',
      'id;preis;tag;code\n1;1,50;31.12.2024;007\n2;2;01.01.2025;008\n',
    );
    await page.getByText('4 columns · 2 rows').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Stadte_2024_final');
    assert.equal(await typeOf(page, 'preis'), 'VARCHAR');
    assert.match((await page.getByRole('columnheader').nth(1).textContent()) ?? '', /line 2 has "1,50"/);
    await lookAt(page, 'upload-report');

    await page.getByLabel('Decimal mark').selectOption(',');
    await page.getByLabel('Dates').selectOption('dmy');
    await eventually('the numbers are read as such', async () => (await typeOf(page, 'preis')) === 'DOUBLE');
    assert.equal(await typeOf(page, 'tag'), 'DATE');
    await page.getByLabel('Type of preis').selectOption('DECIMAL(18,4)');
    await page.getByLabel('Expires').selectOption('1d');
    await page.getByLabel('Name').fill('cities');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.waitForURL(/#\/frames\/cities$/);
    const { columns, rows, expiresAt } = await manifest('cities');
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['LONG', 'DECIMAL(18,4)', 'DATE', 'STRING'],
    );
    assert.equal(rows, 2);
    assert.notEqual(expiresAt, null);
    await page.close();
  });

  it('says which line is wrong before anything is sent', async () => {
    const page = await visitor.open(`${framehold.url}/#/upload`);
    await lookAt(page, 'upload');
    await choose(page, 'broken.csv', 'a,b\n1,2\n3,4,5\n');
    await page.getByText(/Line 3 has 3 fields/).waitFor();
    await lookAt(page, 'upload-problem');
    // A column that the report does not have, because the error came first.
    await page.getByRole('button', { name: 'Choose another' }).click();
    await choose(page, 'mixed.ndjson', '{"a":1}\n{"a":"x"}\n');
    await page.getByText(/is a number in line 1/).waitFor();
    await page.getByText('Set the type of a column by its name').click();
    await page.getByLabel('Column', { exact: true }).fill('a');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('1 column · 2 rows').waitFor();
    await page.close();
  });

  it('makes a new version of a name that exists, or appends to it', async () => {
    const page = await visitor.open(`${framehold.url}/#/upload`);
    await choose(page, 'Cities.csv', 'id;preis;tag;code\n3;1;2025-02-01;009\n');
    await page.getByText('cities exists').waitFor();
    await page.getByLabel('Append the rows').check();
    await page.getByRole('button', { name: 'Append', exact: true }).click();
    await page.waitForURL(/#\/frames\/cities$/);
    assert.deepEqual(await versionAndRows('cities'), [2, 3]);

    await page.goto(`${framehold.url}/#/upload`);
    await choose(page, 'cities.json', '[{"a":1}]');
    await page.getByRole('button', { name: 'Upload a new version' }).click();
    await page.waitForURL(/#\/frames\/cities$/);
    assert.deepEqual(await versionAndRows('cities'), [3, 1]);
    await page.close();
  });

  const versionAndRows = async (name: string) => {
    const { version, rows } = await manifest(name);
    return [version, rows];
  };

  it('takes rows that were copied from a spreadsheet', async () => {
    const page = await visitor.open(`${framehold.url}/#/frames`);
    await page.getByRole('main').waitFor();
    await page.evaluate(
      `{ const data = new DataTransfer(); data.setData('text/plain', 'x\\ty\\n1\\t2\\n');
         document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })) }`,
    );
    await page.getByText('2 columns · 1 row').waitFor();
    await page.getByLabel('Name').fill('pasted_rows');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.waitForURL(/#\/frames\/pasted_rows$/);
    assert.equal((await manifest('pasted_rows')).rows, 1);
    await page.close();
  });

  it('takes several files, one after the other', async () => {
    const page = await visitor.open(`${framehold.url}/#/upload`);
    await page
      .locator('input[type=file]')
      .setInputFiles([file('one.csv', 'a\n1\n'), file('two.csv', 'a\n1\n')]);
    await page.getByText('1 of 2 files').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('one@1 is stored.').waitFor();
    await eventually(
      'the next file is shown',
      async () => (await page.getByLabel('Name').inputValue()) === 'two',
    );
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.waitForURL(/#\/frames\/two$/);
    await page.close();
  });

  it('cancels an upload, and nothing is stored', async () => {
    const page = await visitor.open(`${framehold.url}/#/upload`);
    const session = await page.context().newCDPSession(page);
    await choose(page, 'large.csv', `a,b\n${'1,2\n'.repeat(2_000_000)}`);
    await page.getByText(/2 columns/).waitFor();
    // Slow enough that there is something to cancel.
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 1_000_000,
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText(/of 8\.0 MB · .*\/s/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The upload was cancelled').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    assert.equal((await fetch(`${framehold.url}/v1/frames/large`)).status, 404);
    await page.close();
    visitor.assertNoProblems();
  });
});

function file(name: string, text: string) {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) };
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file(name, text));
}

async function typeOf(page: Page, column: string): Promise<string> {
  return await page.getByLabel(`Type of ${column}`).inputValue();
}

/** As a file that is dragged from the desktop onto the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  // Before its first content the page takes nothing.
  await page.getByRole('main').waitFor();
  await page.evaluate(
    `{ const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
       for (const kind of ['dragenter', 'dragover', 'drop'])
         document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })) }`,
  );
}
