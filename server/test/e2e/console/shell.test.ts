import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleBrowser, lookAt, type Visitor } from '../../support/console-browser.ts';
import { Framehold } from '../../support/framehold-process.ts';

describe('the console', () => {
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

  it('opens at the address of the server', async () => {
    const page = await visitor.open(framehold.url);
    await page.getByRole('link', { name: 'Query' }).click();
    assert.equal(new URL(page.url()).hash, '#/query');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await lookAt(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    visitor.assertNoProblems();
  });
});
