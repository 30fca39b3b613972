import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, lookAt, picture, type Visitor } from '../../server/test/support/console-browser.ts';
import { GridOnPage, gridClock } from '../../server/test/support/console-grid.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';

const rowCount = inLongRun(100_000_000, 5_000_000);

const bigFrame = `select i as id, (i * 37 % 100000) / 100 as price,
    make_timestamp(1700000000000000 + i * 1000) as time, 'symbol ' || i % 50 as symbol, (i % 1000)::int as size, i % 3 = 0 as flag
  from range(${rowCount}) t(i)`;

/** Row `number`, counted from 1, as the grid shows it. */
function bigRow(number: number): string[] {
  const i = number - 1;
  const time = new Date(1_700_000_000_000 + i).toISOString().replace('Z', '000');
  const price = String(((i * 37) % 100_000) / 100);
  return [
    number.toLocaleString('en'),
    String(i),
    price,
    time,
    `symbol ${i % 50}`,
    String(i % 1000),
    String(i % 3 === 0),
  ];
}

const exactFrame = `select * from (values
  (1, 9007199254740993::bigint, '1234567890123456789012345678.0123456789'::decimal(38,10), '2024-02-29 12:30:00.123456789'::timestamp_ns, '-0.0'::double, ''),
  (2, null, null, null, 'NaN'::double, null),
  (3, -9223372036854775808, '-0.0000000001'::decimal(38,10), '1970-01-01 00:00:00.000000001'::timestamp_ns, '0.0'::double, 'null'),
  (4, 9007199254740992, '0.1'::decimal(38,10), '2024-02-29 12:30:00.123456788'::timestamp_ns, '-infinity'::double, E'a\\tb "c"\\nd')
) t("n", "whole, number", "amount", "at: ns", "ratio", "te""xt")`;

describe('the grid', () => {
  let framehold: Framehold;
  let browser: ConsoleBrowser;
  let visitor: Visitor;

  before(async () => {
    framehold = await Framehold.start();
    browser = await ConsoleBrowser.start();
    visitor = await browser.visitor();
    await visitor.context.addInitScript({ content: gridClock });
    await put('big', bigFrame);
    await put('exact', exactFrame);
    // Several row groups, which the engine sorts in parallel.
    await put('ties', `select * from (${bigFrame}) where id < 600000`);
    await put(
      'wide',
      `select ${Array.from({ length: 2000 }, (_, k) => `(i * ${k + 1})::int as c${k}`).join(', ')} from range(3000) t(i)`,
    );
  });

  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await framehold?.remove();
  });

  async function put(name: string, sql: string): Promise<void> {
    const answer = await fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql, into: { name } }),
    });
    assert.equal(answer.status, 201, await answer.text());
  }

  async function open(hash: string): Promise<{ readonly page: Page; readonly grid: GridOnPage }> {
    const page = await visitor.open(`${framehold.url}/${hash}`);
    const grid = new GridOnPage(page);
    await grid.isDrawn();
    return { page, grid };
  }

  it('shows the first rows of a large frame within a second', async () => {
    // The first page of a new browser also loads the console itself; the server has been started a moment ago.
    await (await open('#/frames/big')).page.close();
    let { page, grid } = await open('#/frames/big');
    let tookMs = await page.evaluate<number>('firstRowsMs');
    // A moment in which others have the processors says nothing about the console.
    for (let again = 0; again < 3 && tookMs > 1000; again++) {
      await page.close();
      ({ page, grid } = await open('#/frames/big'));
      tookMs = await page.evaluate<number>('firstRowsMs');
    }
    assertTook(tookMs, 1000, 'the first rows');
    assert.deepEqual(await grid.row('1'), bigRow(1));
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(rowCount + 1));
    await page.getByText(`of ${rowCount.toLocaleString('en')}`).waitFor();
    await picture(page, 'grid');
    visitor.assertNoProblems();
    await page.close();
  });

  it('goes to any row within a second, by number, by key and by the scroll bar', async () => {
    const { page, grid } = await open('#/frames/big');
    for (const number of [rowCount / 2, 1234, rowCount - 1, 777_777]) {
      const began = performance.now();
      await grid.goTo(number);
      assert.deepEqual(await grid.row(number.toLocaleString('en')), bigRow(number));
      assertTook(performance.now() - began, 1000, `row ${number}`);
    }
    await grid.focus();
    for (const [key, number] of [
      ['Control+End', rowCount],
      ['Control+Home', 1],
    ] as const) {
      const began = performance.now();
      await page.keyboard.press(key);
      assert.deepEqual(await grid.row(number.toLocaleString('en')), bigRow(number));
      assertTook(performance.now() - began, 1000, key);
    }
    await page.evaluate(
      `(() => { const grid = document.querySelector('[role=grid]'); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 4; })()`,
    );
    await eventually('the thumb leads to the middle', async () => {
      const [[first = '0'] = []] = await grid.rows();
      return Math.abs(Number(first.replaceAll(',', '')) - rowCount / 4) < rowCount / 1000;
    });
    await page.close();
  });

  it('moves by pixels with the wheel, however many rows there are', async () => {
    const { page, grid } = await open(`#/frames/big?row=${rowCount / 2}`);
    const number = async () => Number((await grid.rows())[0]?.[0]?.replaceAll(',', ''));
    await grid.row((rowCount / 2).toLocaleString('en'));
    const before = await number();
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 260);
    await eventually('ten rows further', async () => (await number()) === before + 10);
    await page.close();
  });

  it('has no blank cells for longer than 200 ms while it scrolls', async () => {
    const { page, grid } = await open('#/frames/big');
    await page.mouse.move(400, 400);
    await page.evaluate('watchBlanks()');
    for (let step = 0; step < 120; step++) {
      await page.mouse.wheel(0, 500);
      await timePasses(16, 'the pace of a wheel');
    }
    await grid.isDrawn();
    const [[first = '0'] = []] = await grid.rows();
    assert.ok(Number(first.replaceAll(',', '')) > 2000, `it came only to row ${first}`);
    await grid.focus();
    for (let step = 0; step < 60; step++) await page.keyboard.press('PageDown');
    await grid.isDrawn();
    assertTook(await page.evaluate<number>('longestBlankMs'), 200, 'the longest blank');
    await page.close();
  });

  it('shows and copies every value exactly', async () => {
    const { page, grid } = await open('#/frames/exact');
    const rows = (await grid.rows()).map((row) => row.slice(2));
    assert.deepEqual(rows, [
      [
        '9007199254740993',
        '1234567890123456789012345678.0123456789',
        '2024-02-29T12:30:00.123456789',
        '-0.0',
        'empty',
      ],
      ['null', 'null', 'null', 'NaN', 'null'],
      ['-9223372036854775808', '-0.0000000001', '1970-01-01T00:00:00.000000001', '0', 'null'],
      ['9007199254740992', '0.1000000000', '2024-02-29T12:30:00.123456788', '-Infinity', 'a⇥b "c"↵d'],
    ]);
    const marks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.grid-row:not([hidden]) .grid-cell:nth-child(7)')].map((cell) => cell.classList.contains('is-null') ? 'null' : cell.classList.contains('is-empty') ? 'empty' : 'text')`,
    );
    assert.deepEqual(marks.toSorted(), ['empty', 'null', 'text', 'text'], 'the text null is not a null');

    await grid.focus();
    await page.keyboard.press('Control+a');
    assert.equal(
      await grid.copied(),
      [
        '1\t9007199254740993\t1234567890123456789012345678.0123456789\t2024-02-29T12:30:00.123456789\t-0.0\t""',
        '2\t\t\t\tNaN\t',
        '3\t-9223372036854775808\t-0.0000000001\t1970-01-01T00:00:00.000000001\t0\tnull',
        '4\t9007199254740992\t0.1000000000\t2024-02-29T12:30:00.123456788\t-Infinity\t"a\tb ""c""\nd"',
      ].join('\n'),
    );
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    assert.equal(await grid.copied(), '9007199254740993', 'one cell is its text');
    await page.keyboard.press('Shift+ArrowRight');
    assert.equal(
      await grid.copied('Control+Shift+c'),
      '"whole, number"\tamount\n9007199254740993\t1234567890123456789012345678.0123456789'.replaceAll(
        '"',
        '',
      ),
    );
    await page.keyboard.press('Control+End');
    assert.equal(await grid.copied(), 'a\tb "c"\nd', 'as it is stored');

    await page.keyboard.press('Enter');
    const record = page.getByRole('complementary', { name: 'Record' });
    await record.getByText('2024-02-29T12:30:00.123456788').waitFor();
    await record.getByRole('button', { name: 'Copy amount' }).click();
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await eventually('the value is copied', async () => (await clipboard()) === '0.1000000000');
    await lookAt(page, 'record');
    await page.close();
  });

  it('sorts and filters by SQL, and keeps it in the address', async () => {
    const { page, grid } = await open('#/frames/exact');
    await eventually('SQL knows the columns', async () => {
      await grid.menu('whole, number');
      if (await page.getByRole('button', { name: 'Sort descending' }).isVisible()) return true;
      await page.keyboard.press('Escape');
      return false;
    });
    await page.getByRole('button', { name: 'Sort descending' }).click();
    const numbers = async () => (await grid.rows()).map(([number]) => number);
    await eventually(
      'sorted, with the numbers of the rows',
      async () => (await numbers()).join() === '1,4,3,2',
    );
    await grid.menu('at: ns');
    await page.getByRole('combobox', { name: 'Condition' }).selectOption('≥');
    await page.getByRole('textbox', { name: 'Value' }).fill('2024-02-29T12:30:00.123456789');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await eventually('filtered to the nanosecond', async () => (await numbers()).join() === '1');
    await lookAt(page, 'filtered');

    const again = await open(new URL(page.url()).hash);
    assert.deepEqual(
      (await again.grid.rows()).map((row) => row[2]),
      ['9007199254740993'],
    );
    await again.page.getByRole('button', { name: 'Remove the filter of at: ns' }).click();
    await again.page.getByRole('button', { name: 'Remove the sort order by whole, number' }).click();
    await eventually('all rows', async () => (await again.grid.rows()).length === 4);
    assert.equal(new URL(again.page.url()).hash.includes('filter'), false);

    await again.grid.menu('te"xt');
    await again.page.getByRole('combobox', { name: 'Condition' }).selectOption('=');
    await again.page.getByRole('textbox', { name: 'Value' }).fill('a\tb "c"\nd'.split('\n')[0] ?? '');
    await again.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await again.page.getByText('No row matches the filters.').waitFor();
    await again.page.close();
    visitor.assertNoProblems();
    await page.close();
  });

  it('keeps the order of the frame among equal rows, so that no page misses or repeats one', async () => {
    const { page, grid } = await open('#/frames/ties?sort=flag:desc');
    // Every third row is true, beginning with the first.
    const numberAt = (position: number) => (3 * (position - 1) + 1).toLocaleString('en');
    const [first, second] = await grid.rows();
    assert.deepEqual([first?.[0], second?.[0]], [numberAt(1), numberAt(2)]);
    // The end of a page, and a page that is far away.
    for (const position of [2000, 150_000]) {
      await grid.goTo(position);
      for (const shown of [position - 1, position, position + 1]) {
        const row = await grid.row(numberAt(shown));
        assert.deepEqual(row, bigRow(3 * (shown - 1) + 1), `position ${shown}`);
      }
    }
    visitor.assertNoProblems();
    await page.close();
  });

  it('explains a value that cannot be compared, before it asks the server', async () => {
    const { page, grid } = await open('#/frames/exact');
    await eventually('SQL knows the columns', async () => {
      await grid.menu('amount');
      if (await page.getByRole('textbox', { name: 'Value' }).isVisible()) return true;
      await page.keyboard.press('Escape');
      return false;
    });
    await page.getByRole('textbox', { name: 'Value' }).fill('0.00000000001');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('alert').getByText('10 decimals').waitFor();
    await page.close();
  });

  it('hides and freezes columns, and keeps that in the address too', async () => {
    const { page, grid } = await open('#/frames/big');
    await grid.menu('price');
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await grid.menu('symbol');
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await eventually('symbol is first, price is hidden', async () => {
      const row = (await grid.rows())[0] ?? [];
      return row[1] === 'symbol 0' && row.length === 6;
    });
    const { hash } = new URL(page.url());
    assert.match(hash, /hidden=price/);
    assert.match(hash, /frozen=symbol/);
    await page.getByRole('button', { name: 'Show 1 hidden column' }).click();
    await eventually('price is back', async () => (await grid.rows())[0]?.length === 7);
    await page.close();
  });

  it('shows two thousand columns, any of them within a second', async () => {
    // Another test file may take the machine for a moment: the better of two.
    const first = await open('#/frames/wide?frozen=c7');
    const firstMs = await first.page.evaluate<number>('firstRowsMs');
    await first.page.close();
    const { page, grid } = await open('#/frames/wide?frozen=c7');
    assertTook(Math.min(firstMs, await page.evaluate<number>('firstRowsMs')), 1000, 'the first rows');
    assert.equal(await page.getByRole('grid').getAttribute('aria-colcount'), '2001');
    await grid.focus();
    const began = performance.now();
    await page.keyboard.press('Control+End');
    await eventually('the last column of the last row', async () => {
      const row = (await grid.rows()).find(([number]) => number === '3,000') ?? [];
      return row.at(-1) === String(2999 * 2000);
    });
    assertTook(performance.now() - began, 1000, 'the last column');
    assert.equal((await grid.row('3,000'))[1], String(2999 * 8), 'the frozen column stays');
    const cells = await page.evaluate<number>(`document.querySelectorAll('.grid-cell').length`);
    assert.ok(cells < 1500, `${cells} elements`);
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox', { name: 'Search columns' }).fill('c1234');
    await page
      .getByRole('complementary')
      .getByText(String(2999 * 1235))
      .waitFor();
    await page.keyboard.press('Escape');
    await picture(page, 'wide');
    visitor.assertNoProblems();
    await page.close();
  });

  it('aborts what nobody waits for any more', async () => {
    const { page, grid } = await open('#/frames/big');
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(request.failure()?.errorText ?? ''));
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/rows?')) asked++;
    });
    // The thumb, dragged over the whole frame in half a second, or in more on a busy machine.
    const began = performance.now();
    for (let step = 1; step <= 30; step++) {
      await page.evaluate(
        `(() => { const grid = document.querySelector('[role=grid]'); grid.scrollTop = (grid.scrollHeight / 31) * ${step}; })()`,
      );
    }
    const halfSeconds = Math.max(1, (performance.now() - began) / 500);
    await grid.isDrawn();
    assert.ok(asked <= 40 * halfSeconds, `${asked} requests for a movement over the whole frame`);
    assert.ok(aborted.every((text) => text.includes('ABORTED')));
    await page.close();
  });
});
