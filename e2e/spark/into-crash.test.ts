/** The server is killed at each step between the engine's last byte and its own answer: the frame has all rows, or there is none. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type SparkConnectServer,
  startSparkConnect,
} from '../../engines/spark/test/support/spark-connect-server.ts';
import { type Failpoint, failpoints } from '../../server/src/model/failpoints.ts';
import { catalogFaults } from '../../server/test/support/catalog-file.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { createFrame, leftResults, rowsOf, runSql } from './spark-results.ts';

const rowCount = 200_000;
const resultSteps = failpoints.filter((step) => step.startsWith('result:'));
/** From here on the frame is stored. */
const committedSteps: readonly Failpoint[] = ['result:committed', 'result:removed'];

let spark: SparkConnectServer;
let framehold: Framehold;
let arming: string;

before(async () => {
  spark = await startSparkConnect();
  framehold = Framehold.prepare({
    flags: ['--spark-url', spark.url],
    imports: [join(import.meta.dirname, '..', '..', 'server', 'test', 'support', 'crash-at-failpoint.ts')],
  });
  arming = join(framehold.home, 'armed');
  await framehold.start();
  await createFrame(framehold, 'base', `SELECT range AS n, range % 10 AS k FROM range(${rowCount})`);
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
});

for (const step of resultSteps)
  test(`killed at ${step}: all rows or no frame, and nothing is left`, async () => {
    const name = step.replace(':', '_');
    await framehold.stop();
    await framehold.start({ CRASH_AT: step, CRASH_ARMED_BY: arming });
    writeFileSync(arming, '');
    await assert.rejects(runSql(framehold, 'SELECT * FROM base', { engine: 'spark', into: name }));
    rmSync(arming);
    // Reaps what was killed.
    await framehold.kill();
    await framehold.start();
    const { json } = await runSql(framehold, `SELECT count(*), sum(n) FROM ${name}`);
    if (committedSteps.includes(step))
      assert.deepEqual(json.dataset, [[rowCount, (rowCount * (rowCount - 1)) / 2]]);
    else assert.equal(json.code, 'frame_not_found', JSON.stringify(json));
    // Whatever was there before this server started is nobody's.
    await eventually('the result is removed', () => leftResults(framehold).length === 0);
    const again = await runSql(framehold, 'SELECT * FROM base', {
      engine: 'spark',
      into: { name, mode: 'replace' },
    });
    assert.equal(again.json.rows, rowCount, JSON.stringify(again.json));
    assert.deepEqual((await rowsOf(framehold, `SELECT count(*) FROM ${name}`)).flat(), [rowCount]);
    assert.deepEqual(catalogFaults(framehold.dataDirectory), []);
  });
