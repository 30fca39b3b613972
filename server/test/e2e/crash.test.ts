import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { catalogKeys, objectFiles } from '../parts/catalog-file.ts';
import { Framehold } from '../parts/framehold-process.ts';
import { runPython } from '../parts/python.ts';

const script = join(import.meta.dirname, 'python', 'crash_puts.py');
const rounds = 10;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

interface Comparison {
  readonly visible: number;
  readonly faults: readonly string[];
  readonly missing: readonly number[];
}

test(`kill -9 during 8 concurrent puts, ${rounds} rounds`, async (t) => {
  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await t.test(`round ${round + 1}`, async () => {
      const putting = runPython([script], { url: framehold.grpcUrl, round }) as Promise<{
        acknowledged: number[];
      }>;
      // A different moment in each round, with puts in every stage.
      await new Promise((resolve) => setTimeout(resolve, 1_500 + round * 137));
      await framehold.kill();
      acknowledged.push(...(await putting).acknowledged);
      await framehold.start();

      const { keys, temporary } = objectFiles(framehold.dataDirectory);
      const catalog = catalogKeys(framehold.dataDirectory);
      const known = new Set([...catalog.live, ...catalog.garbage]);
      assert.deepEqual(
        keys.filter((key) => !known.has(key)),
        [],
        'no orphan is left after the start',
      );
      assert.deepEqual(temporary, [], 'nothing is left in tmp/');

      const found = (await runPython([script], { url: framehold.grpcUrl, acknowledged })) as Comparison;
      assert.deepEqual(found.missing, [], 'every acknowledged frame is there');
      assert.deepEqual(found.faults, [], 'every visible frame is whole and equal');
    });
  }
  assert.ok(
    acknowledged.length >= rounds,
    `only ${acknowledged.length} puts were acknowledged in all rounds`,
  );
});
