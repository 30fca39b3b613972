import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { PageCache } from '../../src/grid/page-cache.ts';
import type { Window } from '../../src/grid/row-source.ts';
import { wantedPages } from '../../src/grid/wanted-pages.ts';

interface Asked {
  readonly first: number;
  readonly count: number;
  readonly columns: readonly number[];
  readonly signal: AbortSignal;
  answer(count?: number): void;
  fail(): void;
}

function cacheOf(rows: number, pagesMax?: number) {
  const asked: Asked[] = [];
  const failures: unknown[] = [];
  const rowCount = signal(rows);
  const cache = new PageCache({
    source: {
      rowCount,
      window: (first, count, columns, abort) =>
        new Promise<Window>((resolve, reject) => {
          asked.push({
            first,
            count,
            columns,
            signal: abort,
            answer: (got = count) =>
              resolve({ first, count: got, text: (row, column) => `${row}/${column}` }),
            fail: () => reject(new Error('lost')),
          });
        }),
    },
    groups: [[0, 1], [2]],
    pageRows: 100,
    ...(pagesMax === undefined ? {} : { pagesMax }),
    onLoaded: () => undefined,
    onFailed: (error) => failures.push(error),
  });
  return { cache, asked, failures, rowCount };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a page is asked for once and found by its rows and columns', async () => {
  const { cache, asked } = cacheOf(250);
  cache.want([{ page: 2, group: 1 }]);
  cache.want([{ page: 2, group: 1 }]);
  assert.equal(asked.length, 1);
  assert.deepEqual([asked[0]?.first, asked[0]?.count, asked[0]?.columns], [200, 50, [2]]);
  assert.equal(cache.find(210, 1), undefined);
  asked[0]?.answer();
  await turn();
  assert.equal(cache.find(210, 1)?.text(210, 2), '210/2');
  assert.equal(cache.find(210, 0), undefined);
});

test('at most three requests at once; what is no longer wanted is aborted', async () => {
  const { cache, asked } = cacheOf(10_000);
  const keys = (from: number) => [0, 1, 2, 3].map((page) => ({ page: page + from, group: 0 }));
  cache.want(keys(0));
  assert.equal(asked.length, 3);
  cache.want(keys(50));
  assert.deepEqual(
    asked.slice(0, 3).map(({ signal }) => signal.aborted),
    [true, true, true],
  );
  assert.equal(asked.length, 6);
  asked[3]?.answer();
  await turn();
  assert.equal(asked.length, 7, 'the next begins when one has ended');
  asked[0]?.answer();
  await turn();
  assert.equal(cache.find(0, 0), undefined, 'an aborted answer is not kept');
});

test('the least recently shown page is removed first', async () => {
  const { cache, asked } = cacheOf(10_000, 2);
  for (const page of [0, 1]) {
    cache.want([{ page, group: 0 }]);
    asked.at(-1)?.answer();
    await turn();
  }
  cache.want([{ page: 0, group: 0 }]);
  cache.want([{ page: 2, group: 0 }]);
  asked.at(-1)?.answer();
  await turn();
  assert.equal(cache.size, 2);
  assert.ok(cache.find(0, 0));
  assert.equal(cache.find(100, 0), undefined);
});

test('a page that failed is asked for again only after retry', async () => {
  const { cache, asked, failures } = cacheOf(100);
  cache.want([{ page: 0, group: 0 }]);
  asked[0]?.fail();
  await turn();
  cache.want([{ page: 0, group: 0 }]);
  assert.equal(asked.length, 1);
  assert.equal(failures.length, 1);
  cache.retry();
  assert.equal(asked.length, 2);
});

test('while rows arrive, the last page is shown as it is and read again when it has grown', async () => {
  const { cache, asked, rowCount } = cacheOf(30);
  cache.want([{ page: 0, group: 0 }]);
  asked[0]?.answer();
  await turn();
  rowCount.value = 80;
  cache.want([{ page: 0, group: 0 }]);
  assert.equal(asked[1]?.count, 80);
  assert.ok(cache.find(29, 0), 'still shown');
  assert.equal(cache.find(30, 0), undefined);
  asked[1]?.answer();
  await turn();
  assert.ok(cache.find(79, 0));
});

test('a source with fewer rows than it said is not asked for ever', async () => {
  const { cache, asked, failures } = cacheOf(100);
  cache.want([{ page: 0, group: 0 }]);
  asked[0]?.answer(40);
  await turn();
  cache.want([{ page: 0, group: 0 }]);
  assert.equal(asked.length, 1);
  assert.match(String(failures[0]), /60 of the rows/, 'and the reader is told');
  assert.ok(cache.find(39, 0), 'what came is shown');
});

test('pages in view come first, then those ahead, then the columns beside, then the rest', () => {
  const view = { firstRow: 950, endRow: 1040, rowCount: 5000, pageRows: 500, groups: [0], nextGroup: 1 };
  assert.deepEqual(
    wantedPages({ ...view, direction: 1 }).map(({ page, group }) => `${page}/${group}`),
    ['1/0', '2/0', '3/0', '1/1', '2/1', '4/0', '0/0'],
  );
  assert.deepEqual(
    wantedPages({ ...view, nextGroup: null, direction: -1 }).map(({ page }) => page),
    [1, 2, 0, 3],
  );
  assert.deepEqual(
    wantedPages({ ...view, isCostly: true, direction: 1 }).map(({ page }) => page),
    [1, 2],
    'nothing ahead that takes the server seconds',
  );
  assert.deepEqual(wantedPages({ ...view, rowCount: 0, endRow: 0, direction: 1 }), []);
});
