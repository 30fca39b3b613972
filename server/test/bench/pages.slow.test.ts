/** The pages in a real browser: light, dark, on a phone and printed. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Sample } from '../../../bench/suite/benchmark-case.ts';
import { caseResult } from '../../../bench/suite/case-result.ts';
import { allFamilies } from '../../../bench/suite/families/all-families.ts';
import { growthSeries } from '../../../bench/suite/growth/growth-series.ts';
import { rows } from '../../../bench/suite/growth/rows.ts';
import { thisMachine } from '../../../bench/suite/machine.ts';
import { growthPage } from '../../../bench/suite/page/growth-page.ts';
import { resultPage } from '../../../bench/suite/page/result-page.ts';
import { ConsoleBrowser, lookAt } from '../support/console-browser.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

let browser: ConsoleBrowser;
const folder = temporaryFolder('bench-pages');
before(async () => {
  browser = await ConsoleBrowser.start();
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  removeFolder(folder);
});

/** Figures that are far apart, and on both sides of every target. */
function sample(factor: number): Sample {
  return {
    work: 1_000 * factor,
    seconds: 1,
    cpuSeconds: factor ** 2,
    peakMegabytes: 300 * factor,
    p99Ms: 12,
  };
}

async function look(name: string, html: string, plotsMin: number): Promise<void> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  await using visitor = await browser.visitor();
  const page = await visitor.open(pathToFileURL(file).href);
  await lookAt(page, `bench-${name}`);
  // On paper it is black on white, also for a reader whose screen is dark.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(
    await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'),
    'rgb(255, 255, 255)',
  );
  assert.equal(await page.evaluate<string>('getComputedStyle(document.body).color'), 'rgb(0, 0, 0)');
  // Every text of a plot lies inside of it: nothing is cut off.
  await page.emulateMedia({ media: 'screen' });
  const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('svg')].flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter((text) => {
      const { left, right } = text.getBoundingClientRect();
      return left < frame.left - 1 || right > frame.right + 1;
    }).map((text) => text.textContent);
  })`);
  assert.deepEqual(outside, []);
  assert.ok((await page.locator('svg').count()) >= plotsMin);
  visitor.assertNoProblems();
}

test('the page of all cases', async () => {
  const results = allFamilies
    .flatMap(({ cases }) => cases)
    .map((benchmark, index) =>
      caseResult(benchmark, {
        framehold: [0.8, 1, 1.3].map((wobble) => sample(wobble * 1.6 ** ((index % 7) - 3))),
        peer: [sample(1), sample(1), sample(1)],
      }),
    );
  await look('results', resultPage(thisMachine(), { scale: 0.5, rounds: 3, loadSeconds: 1 }, results), 2);
});

test('the page of growth', async () => {
  const values = [1e3, 1e4, 1e5, 1e6].map((x) => ({
    x,
    framehold: [sample(x / 1e4)],
    peer: [sample(x ** 0.5 / 100)],
  }));
  const series = rows.workloads.flatMap((workload) =>
    workload.quantities.map((quantity) => growthSeries(rows, workload, quantity, values)),
  );
  await look('growth', growthPage(thisMachine(), 3, series), series.length);
});
