import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mistake, readMistakes } from '../../server/test/support/mistakes-table.ts';

/** Makes a mistake with the real tool, and gives back what the tool says. */
export type MakeMistake = () => Promise<string>;

/** What the page calls them. */
export function mistakesOn(page: string): string[] {
  return rowsOf(page).map(({ mistake }) => mistake);
}

/** A test for each row of a page of docs/guides/mistakes, and one that no row and no mistake is left over. */
export function testMistakes(page: string, makers: Readonly<Record<string, MakeMistake>>): void {
  const rows = rowsOf(page);
  for (const { mistake, message, remedy } of rows)
    test(mistake, async () => {
      const make = makers[mistake];
      assert.ok(make !== undefined, `nothing makes this mistake: ${mistake}`);
      const seen = await make();
      assert.ok(message.length >= 10 && remedy.length > 10, 'the row says what is seen and what to do');
      assert.ok(seen.includes(message), `${page}.md says\n${message}\nand the tool says\n${seen}`);
    });
  test(`every row of ${page}.md is made, and every mistake is on the page`, () => {
    assert.deepEqual(rows.map(({ mistake }) => mistake).sort(), Object.keys(makers).sort());
  });
}

/** A page has several tables, each with its heading. */
function rowsOf(page: string): Mistake[] {
  return readMistakes(page).filter(({ mistake }) => mistake !== 'mistake');
}
