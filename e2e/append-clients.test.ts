/** pandas, polars and pyarrow, unchanged, append to each other's frames over HTTP, Flight and ADBC. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { runPython } from '../server/test/support/python.ts';

const script = join(import.meta.dirname, 'python', 'append_checks.py');

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => {
  await framehold?.remove();
});

test('pandas, polars, pyarrow, CSV and NDJSON append to each other', async (t) => {
  const request = { http: framehold.url, grpc: framehold.grpcUrl };
  const faults = (await runPython([script], request)) as Record<string, string | null>;
  for (const [title, fault] of Object.entries(faults))
    await t.test(title, () => assert.equal(fault, null, fault ?? ''));
  assert.ok(Object.keys(faults).length >= 14, `${Object.keys(faults).length} checks were made`);
});
