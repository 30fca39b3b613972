import type { Page } from 'playwright-core';
import { eventually } from './patience.ts';

/** Much longer than a menu takes to open. */
const clickTakesMs = 5_000;

/** The grid of a page as a reader sees it. */
export class GridOnPage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Waits until every cell in view has its content. */
  async isDrawn(): Promise<void> {
    await eventually('the grid is drawn', async () => {
      const failure = await this.#page.evaluate<string | undefined>(
        `document.querySelector('.note-error')?.textContent`,
      );
      if (failure !== undefined) throw new Error(`The page says: ${failure}`);
      return await this.#page.evaluate<boolean>(
        `document.querySelector('${shownRow} .grid-cell:not([hidden])') !== null && document.querySelector('${shownRow} .is-blank:not([hidden])') === null`,
      );
    });
  }

  /** Texts of the rows in view, from top to bottom, with the number of the row first. */
  async rows(): Promise<string[][]> {
    return await this.#page.evaluate<string[][]>(
      `[...document.querySelectorAll('${shownRow}')]
        .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
        .map((row) => [...row.children].filter((cell) => !cell.hidden).map((cell) => cell.textContent))`,
    );
  }

  /** The row with this number, as `rows` has it; waits until it is in view. */
  async row(number: string): Promise<string[]> {
    let found: string[] | undefined;
    await eventually(`row ${number} is shown`, async () => {
      found = (await this.rows()).find(([first]) => first === number);
      return found?.slice(1).every((text) => text !== '') ?? false;
    });
    return found ?? [];
  }

  async focus(): Promise<void> {
    await this.#page.getByRole('grid').focus();
  }

  /** Goes to a row with the keyboard. */
  async goTo(row: number): Promise<void> {
    await this.focus();
    await this.#page.keyboard.press('g');
    await this.#page.getByRole('textbox', { name: /^Row, from/ }).fill(String(row));
    await this.#page.keyboard.press('Enter');
  }

  /** Opens the menu of a column. */
  async menu(column: string): Promise<void> {
    const header = this.#page.getByRole('columnheader', { name: column, exact: false }).first();
    const dialog = this.#page.getByRole('dialog', { name: `Column ${column}` });
    // A click that falls between two renderings, as one does right after a column was hidden, meets a header that is gone.
    await eventually(`the menu of ${column}`, async () => {
      await header.click();
      return await dialog.waitFor({ timeout: clickTakesMs }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Copies the selection and gives back what is in the clipboard. */
  async copied(press = 'Control+c'): Promise<string> {
    const mark = 'nothing was copied';
    await this.#page.evaluate(`navigator.clipboard.writeText('${mark}')`);
    await this.focus();
    await this.#page.keyboard.press(press);
    let text = mark;
    await eventually('the selection is copied', async () => {
      text = await this.#page.evaluate<string>('navigator.clipboard.readText()');
      return text !== mark;
    });
    return text;
  }
}

const shownRow = '.grid-row:not([hidden])';

/**
 * Runs in the page before its own scripts. `firstRowsMs` is when the first cell had a text, counted from the navigation; `longestBlankMs`
 * how long cells in view had none, at most, since `watchBlanks()`.
 */
export const gridClock = `
  window.firstRowsMs = null;
  window.longestBlankMs = 0;
  let blankSince = null;
  window.watchBlanks = () => { window.longestBlankMs = 0; blankSince = null; };
  const watch = () => {
    const at = performance.now();
    const drawn = document.querySelector('.grid-row:not([hidden]) .grid-cell:not([hidden]):not(.is-blank)');
    if (window.firstRowsMs === null && drawn !== null && drawn.textContent !== '') window.firstRowsMs = at;
    const blank = document.querySelector('.grid-row:not([hidden]) .grid-cell.is-blank:not([hidden])');
    if (blank === null) blankSince = null;
    else {
      blankSince ??= at;
      window.longestBlankMs = Math.max(window.longestBlankMs, at - blankSince);
    }
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
`;
