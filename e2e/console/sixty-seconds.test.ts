import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleBrowser, lookAt, picture } from '../../server/test/support/console-browser.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';

const day = 86_400_000;
const csv = [
  'day,visits,revenue',
  ...Array.from({ length: 300 }, (_, at) => {
    const date = new Date(Date.UTC(2024, 0, 1) + at * day).toISOString().slice(0, 10);
    return `${date},${1000 + ((at * 7919) % 500)},${(at * 13.25).toFixed(2)}`;
  }),
].join('\n');

describe('the first minute', () => {
  let browser: ConsoleBrowser;

  before(async () => {
    browser = await ConsoleBrowser.start();
  });

  after(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  it('start the server, drop a CSV, chart it, share the link, and a second person sees it without credentials', async () => {
    const began = performance.now();
    const framehold = await Framehold.start();
    try {
      // With a token: that the second person needs none means something.
      const token = newToken(framehold.dataDirectory, 'acme', 'write');
      await using author = await browser.visitor();
      const page = await author.open(framehold.url);
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Put a first frame' }).waitFor();

      await page.evaluate(
        `{ const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(csv)}], 'visits.csv'));
           for (const kind of ['dragenter', 'dragover', 'drop'])
             document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })) }`,
      );
      await page.getByText('3 columns · 300 rows').waitFor();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.waitForURL(/#\/frames\/visits$/);
      await page.getByRole('gridcell', { name: '2024-01-01' }).waitFor();

      await page.getByRole('link', { name: 'Chart' }).click();
      await page.locator('.uplot canvas').first().waitFor();
      await picture(page, 'sixty-seconds-chart');

      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      const link = page.locator('input[readonly]').first();
      const url = await link.inputValue();
      assert.ok(url.startsWith(`${framehold.url}/v1/frames/visits@1/rows?link=`), url);

      await using friend = await browser.visitor();
      const shared = await friend.open(url);
      await shared.getByRole('heading', { name: 'visits@1' }).waitFor();
      await shared.getByRole('gridcell', { name: '2024-01-01' }).waitFor();
      assertTook(performance.now() - began, 60_000, 'the first minute');

      await lookAt(shared, 'share');
      await shared.getByRole('link', { name: /^Schema/ }).click();
      await shared.getByRole('cell', { name: 'revenue' }).waitFor();
      await lookAt(shared, 'share-schema');
      const coming = shared.waitForEvent('download');
      await shared.getByRole('link', { name: 'CSV', exact: true }).click();
      const download = await coming;
      assert.equal(download.suggestedFilename(), 'visits@1.csv');
      const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
      assert.equal(text.split('\r\n').length, 302);

      // A program gets rows from the same link, whatever it asks for.
      const asJson = await fetch(url, { headers: { accept: 'application/json' } });
      assert.equal(((await asJson.json()) as { readonly count: number }).count, 300);

      // Taken back while somebody opens it: the page says so kindly, and programs get 410.
      const revoked = Promise.withResolvers<void>();
      await friend.context.route(/\/v1\/frames\/visits@1\?/, async (route) => {
        await revoked.promise;
        await route.continue();
      });
      const late = await friend.open(url);
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
      revoked.resolve();
      await late.getByText('This link was taken back').waitFor();
      await lookAt(late, 'share-revoked');
      assert.equal((await fetch(url)).status, 410);

      author.assertNoProblems();
      friend.assertNoProblems();
    } finally {
      await framehold.remove();
    }
  });
});
