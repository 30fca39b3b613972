/**
 * Random statements, with parameters and time zones, give what Python's DuckDB of the same version gives over the same tables, or fail as they do there.
 * `DIFFERENTIAL_STATEMENTS` of them from `DIFFERENTIAL_SEED` on; what differs names its seed.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const script = join(import.meta.dirname, 'statements.py');
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const statements = Number(process.env.DIFFERENTIAL_STATEMENTS ?? 150);
/** Each runs three times, in some milliseconds; the long run takes an hour. */
const timeoutMs = 120_000 + statements * 2_000;

interface Report {
  readonly faults: readonly string[];
  readonly compared: number;
  /** Of these, in DuckDB itself. */
  readonly failed: number;
}

const folder = temporaryFolder('random-statements');
let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => {
  await framehold?.remove();
  removeFolder(folder);
});

test('random statements give what DuckDB gives', async (t) => {
  const request = { http: framehold.url, grpc: framehold.grpcUrl, folder, seeds: [seed, statements] };
  const { faults, compared, failed } = (await runPython([script], request, timeoutMs)) as Report;
  t.diagnostic(`${compared} statements, of which ${failed} fail in DuckDB, too`);
  assert.equal(faults.length, 0, faults.join('\n'));
  assert.equal(compared, statements);
  assert.ok(failed <= statements / 10, `${failed} of ${statements} fail: they show little`);
});
