import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, type Visitor } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { patienceMs } from '../../server/test/support/patience.ts';

describe('the query screen', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    framehold = await Framehold.start();
    await sql(
      `create table trades as select timestamp '2026-01-01' + interval (i * 60) second as time,
        ['BTC-USD', 'ETH-USD', 'SOL-USD'][1 + (i % 3)::int] as symbol, 100 + 10 * sin(i / 50.0) as price, i as id
       from range(3000) t(i)`,
    );
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
    page = await visitor.open(`${framehold.url}/#/query`);
    // The text area has been replaced by the editor.
    await editor().and(page.locator('.cm-content')).waitFor();
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  const editor = () => page.getByRole('textbox', { name: 'SQL' });
  const cell = (row: number, column: number) =>
    page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column + 1}"]`);
  const facts = () => page.locator('.query-facts');
  const queryTabs = () => page.getByRole('tablist', { name: 'Queries' }).getByRole('tab');

  async function sql(text: string, format = 'json'): Promise<Buffer> {
    const answer = await fetch(`${framehold.url}/v1/sql?fmt=${format}`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql' },
      body: text,
    });
    assert.ok(answer.ok, answer.ok ? '' : await answer.text());
    return Buffer.from(await answer.arrayBuffer());
  }

  /** Replaces the text of the tab; the cursor is behind it. */
  async function write(text: string): Promise<void> {
    await editor().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  }

  async function run(text: string): Promise<void> {
    await write(text);
    await page.keyboard.press('Control+Enter');
  }

  async function waitForRows(text: string): Promise<void> {
    await facts().getByText(text, { exact: true }).waitFor();
  }

  it('is readable before anything was run', async () => {
    await page.getByRole('button', { name: /^trades/ }).waitFor();
    await lookAt(page, 'query-empty');
  });

  it('completes frames, columns and functions while typing', async () => {
    await editor().click();
    await page.keyboard.type('select * from tra');
    const option = (name: string) => page.getByRole('option', { name });
    const see = () =>
      timePasses(200, 'the editor does not take a key as a choice before its list could be seen');
    await option('trades').waitFor();
    await see();
    await page.keyboard.press('Tab');
    await page.keyboard.type(' t where t.sym');
    await option('symbol').waitFor();
    await see();
    await page.keyboard.press('Enter');
    assert.equal(await editor().textContent(), 'select * from trades t where t.symbol');
    await page.keyboard.type(' = date_tr');
    await option('date_trunc').waitFor();
    await page.keyboard.press('Escape');
  });

  it('runs the statement under the cursor, or the selection', async () => {
    await run("select 'first' as a;\n\nselect 'second' as a\n;select 'third' as a");
    await cell(1, 1).getByText('third').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Control+Enter');
    await cell(1, 1).getByText('second').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Enter');
    await cell(1, 1).getByText('first').waitFor();
    await write('select 1 + 41 as a');
    for (let step = 0; step < ' + 41 as a'.length; step++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Control+Enter');
    await cell(1, 1).getByText('1', { exact: true }).waitFor();
  });

  it('shows exact values', async () => {
    await run(
      `select 9007199254740993 as big, 1234567890123456789012345678.0123456789::decimal(38,10) as dec,
        timestamp_ns '2026-01-01 00:00:00.123456789' as ns, '-0.0'::double as zero, 'NaN'::double as nan`,
    );
    await cell(1, 1).getByText('9007199254740993', { exact: true }).waitFor();
    const texts = await Promise.all([2, 3, 4, 5].map((column) => cell(1, column).textContent()));
    assert.deepEqual(texts, [
      '1234567890123456789012345678.0123456789',
      '2026-01-01T00:00:00.123456789',
      '-0.0',
      'NaN',
    ]);
  });

  it('marks an error at its place and says what the server says', async () => {
    await run('select 1;\nselect price,\n  nonsense\nfrom trades');
    const alert = page.getByRole('alert');
    await alert.getByText('nonsense').first().waitFor();
    assert.equal(await page.locator('.cm-lintRange-error').textContent(), 'nonsense');
    await alert.getByRole('button', { name: 'Show line 3, column 3' }).click();
    await page.keyboard.type('!');
    assert.match((await editor().textContent()) ?? '', /select price, {2}!nonsensefrom trades/);
    await lookAt(page, 'query-error');
  });

  it('cancels a long statement with Escape, and shows its progress', async () => {
    await run('select count(*) from range(1000000000) a(i), range(1000) b(j) where (i * j) % 7 = 3');
    await page.getByRole('button', { name: /^Cancel/ }).waitFor();
    await page.getByRole('progressbar', { name: 'Progress of the statement' }).waitFor();
    const running = async () => {
      const answer = await fetch(`${framehold.url}/v1/queries`);
      return ((await answer.json()) as { readonly queries: readonly unknown[] }).queries.length;
    };
    assert.equal(await running(), 1);
    await page.keyboard.press('Escape');
    await page.getByText(/^Cancelled after/).waitFor();
    await page.getByRole('button', { name: /^Run/ }).waitFor();
    const end = Date.now() + patienceMs;
    while ((await running()) > 0) assert.ok(Date.now() < end, 'it still runs on the server');
  });

  it('says that a result was cut, and stores all of it as a frame', async () => {
    await run('select i from range(250000) t(i)');
    await waitForRows('first 100,000 rows');
    await page.getByText('There are more than 100,000 rows.').waitFor();
    await page.getByRole('button', { name: 'Store all as a frame' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('numbers');
    await lookAt(page, 'query-save-frame');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('250,000 rows stored as numbers@1.').waitFor();
    await lookAt(page, 'query-cut');
  });

  it('shows what a change did', async () => {
    await run('create table copies as select * from trades where id < 10');
    await page.getByText('Frame copies created.').waitFor();
    assert.equal(
      await page.getByRole('link', { name: 'Open copies' }).getAttribute('href'),
      '#/frames/copies',
    );
    await run('drop table copies');
    await page.getByText('Dropped.').waitFor();
  });

  it('asks for parameters', async () => {
    await run('select $1::BIGINT as a, $2 as b');
    await page.getByRole('textbox', { name: '$1' }).fill('9007199254740993');
    await page.getByRole('textbox', { name: '$2' }).fill("'7'");
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    await cell(1, 1).getByText('9007199254740993').waitFor();
    assert.equal(await cell(1, 2).textContent(), '7');
  });

  it('explains a statement as a tree, with timings if it is run', async () => {
    await write('select symbol, count(*) from trades where price > 100 group by symbol order by 2');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('menuitem', { name: /^Plan with timings/ }).click();
    await page.getByText(/^It took/).waitFor();
    const plan = page.getByRole('region', { name: 'Query plan' });
    assert.match((await plan.textContent()) ?? '', /Order by[\s\S]+group by[\s\S]+ms/i);
    await lookAt(page, 'query-plan');
  });

  it('downloads the bytes that the server writes', async () => {
    const statement = 'select * from trades order by id limit 500';
    await run(statement);
    await waitForRows('500 rows');
    for (const [label, format] of [
      ['CSV', 'csv'],
      ['JSON', 'json'],
      ['Arrow', 'arrow'],
      ['NDJSON', 'ndjson'],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name: label, exact: true }).click();
      const file = readFileSync(await (await download).path());
      assert.deepEqual(file, await sql(statement, format), format);
    }
  });

  it('downloads a cut result whole, by a link', async () => {
    const statement = 'select i from range(150000) t(i)';
    await run(statement);
    await waitForRows('first 100,000 rows');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    assert.equal(file, (await sql(statement, 'csv')).toString());
  });

  it('lists what was run, and finds it again', async () => {
    await page.getByRole('button', { name: 'History' }).click();
    const panel = page.getByRole('complementary', { name: 'History' });
    await panel.getByText('Cancelled').first().waitFor();
    await panel.getByText('Failed').first().waitFor();
    await lookAt(page, 'query-history');
    await panel.getByRole('textbox', { name: 'Search the history' }).fill('range(150000)');
    await panel.getByText('select price').first().waitFor({ state: 'hidden' });
    await panel
      .getByRole('button', { name: /range\(150000\)/ })
      .first()
      .click();
    assert.equal(await queryTabs().count(), 2, 'in a tab of its own');
    assert.equal(await editor().textContent(), 'select i from range(150000) t(i)');
    assert.equal(await page.locator('.query-result').count(), 0, 'and it has not run');
    await queryTabs().nth(1).focus();
    await page.keyboard.press('Delete');
    await panel.getByRole('button', { name: 'Close history' }).click();
  });

  it('saves queries for the tenant, renames and removes them', async () => {
    await write('select 42 as answer');
    await page.getByRole('button', { name: 'Save this query' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('The answer / 42');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as “The answer / 42”.').waitFor();
    await queryTabs().getByText('The answer / 42').waitFor();
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Saved queries' });
    await panel.getByRole('button', { name: 'More for The answer / 42' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await panel.getByRole('button', { name: /^Answer/ }).waitFor();
    await lookAt(page, 'query-saved');
    await panel.getByRole('button', { name: 'More for Answer' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await panel.getByText('Nothing saved yet').waitFor();
    await panel.getByRole('button', { name: 'Close saved queries' }).click();
  });

  it('keeps its tabs over a reload', async () => {
    await page.getByRole('button', { name: 'New query' }).click();
    await write('select 2 as second_tab');
    await queryTabs().nth(1).waitFor();
    await page.reload();
    await editor().and(page.locator('.cm-content')).waitFor();
    assert.equal(await queryTabs().count(), 2);
    assert.equal(await editor().textContent(), 'select 2 as second_tab');
    await page.keyboard.press('Control+Enter');
    await cell(1, 1).getByText('2', { exact: true }).waitFor();
    await queryTabs().nth(1).focus();
    await page.keyboard.press('Delete');
    assert.equal(await queryTabs().count(), 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.equal(await queryTabs().count(), 2);
  });

  it('shows SQL of an address, and does not run it', async () => {
    const statement = 'drop table trades';
    const other = await visitor.open(`${framehold.url}/#/query?${new URLSearchParams({ sql: statement })}`);
    await other.getByText('This SQL came with a link.').waitFor();
    assert.equal(
      await other.getByRole('textbox', { name: 'SQL' }).and(other.locator('.cm-content')).textContent(),
      statement,
    );
    assert.equal(new URL(other.url()).hash, '#/query');
    assert.equal((await sql('select count(*) as n from trades', 'csv')).toString(), 'n\r\n3000\r\n');
    await lookAt(other, 'query-foreign');
    await other.getByRole('button', { name: 'Copy a link to this query' }).click();
    await other.getByText('Link copied.').waitFor();
    const copied = await other.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(new URLSearchParams(new URL(copied).hash.split('?')[1]).get('sql'), statement);
    await other.close();
  });

  it('reported no problem', () => {
    visitor.assertNoProblems();
  });
});
