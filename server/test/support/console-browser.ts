import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { patienceMs } from './patience.ts';

/** Not the one on the PATH: a script that does not pass on the signal that ends it. */
const executablePath = '/usr/lib/chromium/chromium-headless-shell';

/** Pictures of what the tests saw, for people to look at: written only if this names a folder. */
const pictures = process.env.TEST_PICTURES;

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** For one step on a page: much longer than any takes, and short enough that a test that fails says so soon. */
const stepMs = Math.min(60_000, patienceMs);

/** Every screen is looked at in these. 375 px is the width of a small phone. */
const looks = {
  light: { colorScheme: 'light', width: 1280, height: 800 },
  dark: { colorScheme: 'dark', width: 1280, height: 800 },
  narrow: { colorScheme: 'light', width: 375, height: 740 },
} as const;

/** A real browser. Each visitor has storage of its own, as another person has. */
export class ConsoleBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(more: readonly string[] = []): Promise<ConsoleBrowser> {
    const args = ['--no-sandbox', ...more];
    return new ConsoleBrowser(await chromium.launch({ executablePath, args, timeout: patienceMs }));
  }

  async visitor(): Promise<Visitor> {
    const context = await this.#browser.newContext({
      viewport: { width: looks.light.width, height: looks.light.height },
      colorScheme: 'light',
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(stepMs);
    return new Visitor(context);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** One person with a browser: what their pages report is kept. */
export class Visitor implements AsyncDisposable {
  readonly context: BrowserContext;
  /** Violations of the content security policy, errors in the console and in scripts, requests that left the origin. */
  readonly problems: string[] = [];

  constructor(context: BrowserContext) {
    this.context = context;
  }

  /** Opens an address in a new tab. */
  async open(url: string): Promise<Page> {
    const page = await this.context.newPage();
    const { origin } = new URL(url);
    page.on('console', (message) => {
      // The browser writes a line for each answer above 399: the tests ask for some of them.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error.stack ?? error)));
    page.on('request', (request) => {
      const to = new URL(request.url());
      const isLocal = to.origin === origin || to.protocol === 'data:' || to.protocol === 'blob:';
      if (!isLocal) this.problems.push(`a request left the server: ${to}`);
    });
    await page.goto(url);
    return page;
  }

  /** Fails if anything was reported so far. */
  assertNoProblems(): void {
    assert.deepEqual(this.problems, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

/** Looks at a screen in light, in dark and on a phone: no rule of accessibility is broken, and nothing is wider than the window. */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const [look, { colorScheme, width, height }] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.evaluate(transcoded);
    await picture(page, `${name}-${look}`);
    assert.deepEqual(await accessibilityViolations(page), [], `${name}, ${look}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    assert.ok(overflow <= 0, `${name}, ${look}: ${overflow} px wider than the window`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: looks.light.width, height: looks.light.height });
}

/** Colours of buttons change over time: axe would measure the new text on the old ground. A frame begins the change, then it ends. */
const transcoded = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)))
  .then(() => undefined)`;

export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds, one line for each element. */
async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary ?? ''}`),
  );
}
