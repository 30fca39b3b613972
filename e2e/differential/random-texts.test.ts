/** CSV, NDJSON and JSON with known values, written in many ways, are read as what they are. `DIFFERENTIAL_TEXTS` from `DIFFERENTIAL_SEED` on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';

const script = join(import.meta.dirname, 'texts.py');
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const texts = Number(process.env.DIFFERENTIAL_TEXTS ?? 60);
/** Of three forms each, in some tens of milliseconds. */
const timeoutMs = 120_000 + texts * 5_000;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(() => framehold?.remove());

test('texts are read as the values that they were written from', async () => {
  const request = { http: framehold.url, grpc: framehold.grpcUrl, seeds: [seed, texts] };
  const report = (await runPython([script], request, timeoutMs)) as {
    readonly faults: readonly string[];
    readonly compared: number;
  };
  assert.equal(report.faults.length, 0, report.faults.join('\n'));
  assert.equal(report.compared, texts * 3);
});
