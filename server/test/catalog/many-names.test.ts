import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureCatalog, seedNames } from '../../../bench/catalog/measure.ts';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { change, start, tenant } from './change-builder.ts';

/** The real numbers come from `npm run bench:catalog` and `bench:appends`; these limits only separate constant from linear. */

test('twenty times the names do not make a lookup or the first page slower', async () => {
  const few = temporaryFolder('few-names');
  const many = temporaryFolder('many-names');
  await seedNames(few, 1_000);
  await seedNames(many, 20_000);
  const before = await measureCatalog(few, 1_000, 500);
  const after = await measureCatalog(many, 20_000, 500);
  assert.ok(after.resolve < 5 * before.resolve, `${before.resolve} µs, then ${after.resolve} µs`);
  assert.ok(after.firstPage < 5 * before.firstPage, `${before.firstPage} µs, then ${after.firstPage} µs`);
});

test('an append to a log of thousands of parts costs what it cost at first', async () => {
  const catalog = await openSqliteCatalog({ path: join(temporaryFolder('appends'), 'catalog.sqlite') });
  try {
    await catalog.commit(change('f', 'create'));
    const times: number[] = [];
    for (let count = 0; count < 4_000; count++) {
      const began = performance.now();
      await catalog.commit(change('f', 'append'));
      await catalog.resolve(tenant, 'f', null, start);
      await catalog.untranscoded(16, 0, start);
      times.push(performance.now() - began);
    }
    const first = median(times.slice(0, 400));
    const last = median(times.slice(-400));
    assert.ok(last < 3 * first + 0.5, `${first} ms, then ${last} ms`);
    assert.equal((await catalog.parts(tenant, 'f', 4_001)).length, 4_001);
  } finally {
    await catalog.close();
  }
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
