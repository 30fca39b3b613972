import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { residentMegabytes } from '../../bench/load/process-state.ts';
import { catalogParts } from '../../server/test/support/catalog-file.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

/** As many as a frame may have. */
const columns = 100_000;
const frames = inLongRun(10, 1);
/** It takes the Parquet library half a minute, in a process of its own, whose memory goes with it. */
const transcodes = inLongRun(true, false);
/** Above what it held when it had done the same with a small frame. One such frame had left 0.9 GB, ten 2 GB. */
const keptMegabytes = 250;

let framehold: Framehold;
before(async () => {
  // As it is installed: from source each thread carries a TypeScript compiler.
  const flags = transcodes ? [] : ['--transcode-threads', '0'];
  framehold = await Framehold.start({ command: builtCommand, flags });
});
after(async () => await framehold.remove());

test('frames of 100,000 columns leave no memory behind when they have been put, read and dropped', async (t) => {
  const { small, wide } = await arrowBytes({
    small: `pa.table({'n': [1, 2]})`,
    wide: `pa.table([pa.array([1, 2])] * ${columns}, names=[f'column_{n}' for n in range(${columns})])`,
  });
  await live('small', small as Buffer<ArrayBuffer>);
  const before = residentMegabytes(framehold.pid);
  let most = before;
  for (let n = 0; n < frames; n++) {
    await live(`wide${n}`, wide as Buffer<ArrayBuffer>);
    most = Math.max(most, residentMegabytes(framehold.pid));
  }
  const kept = () => residentMegabytes(framehold.pid) - before;
  await framehold.until('memory that is given back', () => (kept() < keptMegabytes ? true : null));
  t.diagnostic(
    `${before.toFixed()} MB before, ${most.toFixed()} MB at most, ${kept().toFixed()} MB more are kept`,
  );
});

async function live(name: string, body: Buffer<ArrayBuffer>): Promise<void> {
  assert.equal((await send(framehold.url, `/v1/frames/${name}`, body)).status, 201);
  assert.equal((await getText(`${framehold.url}/exec?handle=${name}&fmt=json`)).status, 200);
  const isTranscoded = () => catalogParts(framehold.dataDirectory).every(({ parquet }) => parquet !== 'none');
  if (transcodes) await framehold.until(`${name} transcoded`, () => (isTranscoded() ? true : null));
  assert.equal(
    (await getText(`${framehold.url}/v1/frames/${name}?purge=true`, { method: 'DELETE' })).status,
    204,
  );
}
