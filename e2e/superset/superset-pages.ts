import { type Browser, chromium, type Page } from 'playwright-core';
import { patienceMs } from '../../server/test/support/patience.ts';

/** Not the one on the PATH: a script that does not pass on the signal that ends it. */
const executablePath = '/usr/lib/chromium/chromium-headless-shell';

interface LineChart {
  readonly x: string;
  readonly metric: string;
  readonly dimension: string;
}

/** Superset's pages in a real browser, as a person uses them. */
export class SupersetPages implements AsyncDisposable {
  readonly #url: string;
  readonly #browser: Browser;
  readonly #page: Page;

  static async open(url: string): Promise<SupersetPages> {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: patienceMs });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(Math.min(60_000, patienceMs));
    return new SupersetPages(url, browser, page);
  }

  private constructor(url: string, browser: Browser, page: Page) {
    this.#url = url;
    this.#browser = browser;
    this.#page = page;
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.#page.goto(`${this.#url}/login/`);
    await this.#page.fill('#username', username);
    await this.#page.fill('#password', password);
    await this.#page.keyboard.press('Enter');
    await this.#page.waitForURL(/welcome/);
  }

  async createDataset(database: string, schema: string, table: string): Promise<void> {
    await this.#page.goto(`${this.#url}/dataset/add/`);
    await this.#choose('Select database', database);
    await this.#choose('Select schema', schema);
    await this.#choose('Select table', table);
    await this.#page.getByRole('button', { name: 'Create and explore dataset' }).click();
    await this.#page.waitForURL(/chart\/add/);
  }

  async lineChart({ x, metric, dimension }: LineChart): Promise<void> {
    const page = this.#page;
    await page.getByText('Line Chart', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Create new chart' }).click();
    await page.waitForURL(/explore/);
    await this.#simple('x_axis', /Drop a column here or click/, x);
    await page
      .locator('[data-test=metrics]')
      .getByText(/here or click/)
      .click();
    await page.locator('#adhoc-metric-edit-tabs-tab-SIMPLE').click();
    await this.#choose('Select column', metric);
    await this.#choose('Select aggregate options', 'AVG');
    await page.locator('[data-test="AdhocMetricEdit#save"]').click();
    await this.#simple('groupby', /Drop columns here or click/, dimension);
    await page.getByRole('button', { name: /Create chart|Update chart/ }).click();
    await page.locator('canvas').first().waitFor();
  }

  async rowsOfChart(): Promise<string> {
    return (
      (await this.#page
        .getByText(/^\d+ rows$/)
        .first()
        .textContent()) ?? ''
    );
  }

  async takePicture(path: string): Promise<void> {
    await this.#page.screenshot({ path });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  /** A column for one of the fields on the left. */
  async #simple(field: string, label: RegExp, column: string): Promise<void> {
    await this.#page.locator(`[data-test=${field}]`).getByText(label).click();
    // By its id: while the dialogue before fades away, its tab has the same name.
    await this.#page.locator('#adhoc-metric-edit-tabs-tab-simple').click();
    await this.#choose('Columns and metrics', column);
    await this.#page.locator('[data-test="ColumnEdit#save"]').click();
  }

  async #choose(box: string, option: string): Promise<void> {
    await this.#page.getByRole('combobox', { name: box }).click();
    await this.#page.keyboard.type(option);
    await this.#option(option);
  }

  async #option(text: string): Promise<void> {
    const options = this.#page.locator('.ant-select-item-option', { hasText: text });
    await options.filter({ visible: true }).first().click();
  }
}
