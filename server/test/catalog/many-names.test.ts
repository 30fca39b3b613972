import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureCatalog, seedNames } from '../../../bench/catalog/measure.ts';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { change, start, tenant } from './change-builder.ts';

type Measured = Awaited<ReturnType<typeof measureCatalog>>;

/** The real numbers come from `npm run bench:catalog` and `bench:appends`; these limits only separate constant from linear. */

test('twenty times the names do not make a lookup or the first page slower', async () => {
  const few = temporaryFolder('few-names');
  const many = temporaryFolder('many-names');
  await seedNames(few, 1_000);
  await seedNames(many, 20_000);
  const ofFew: Measured[] = [];
  const ofMany: Measured[] = [];
  // In turns, and the quietest of them: the machine is shared.
  for (let turn = 0; turn < 3; turn++) {
    ofFew.push(await measureCatalog(few, 1_000, 500));
    ofMany.push(await measureCatalog(many, 20_000, 500));
  }
  for (const what of ['resolve', 'firstPage'] as const) {
    const [before, after] = [ofFew, ofMany].map((all) => Math.min(...all.map((each) => each[what])));
    assert.ok(Number(after) < 5 * Number(before), `${what}: ${before} µs, then ${after} µs`);
  }
});

test('an append to a log of thousands of parts costs what one to a short log costs', async () => {
  const catalog = await openSqliteCatalog({ path: join(temporaryFolder('appends'), 'catalog.sqlite') });
  const timed = async (name: string): Promise<number> => {
    const began = performance.now();
    await catalog.commit(change(name, 'append'));
    await catalog.resolve(tenant, name, null, start);
    await catalog.untranscoded(16, 0, start);
    return performance.now() - began;
  };
  try {
    await catalog.commit(change('long', 'create'));
    for (let count = 0; count < 3_800; count++) await catalog.commit(change('long', 'append'));
    const short: number[] = [];
    const long: number[] = [];
    // In turns: what else the machine does, and its disk, is then in both.
    for (let count = 0; count < 200; count++) {
      await catalog.commit(change(`short_${count}`, 'create'));
      short.push(await timed(`short_${count}`));
      long.push(await timed('long'));
    }
    const limit = 3 * median(short) + 0.5;
    assert.ok(median(long) < limit, `${median(short)} ms, and ${median(long)} ms to the long log`);
    assert.equal((await catalog.parts(tenant, 'long', 4_001)).length, 4_001);
  } finally {
    await catalog.close();
  }
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
