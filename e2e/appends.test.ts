import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { measureAppends } from '../bench/appends/measure.ts';
import { catalogKeys, objectFiles } from '../server/test/support/catalog-file.ts';
import { getText } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { readArrow } from '../server/test/support/python.ts';

const appends = 400;
const rows = 100 * appends;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' } });
});
after(async () => await framehold.remove());

test(`${appends} appends cost the same at the end, and read like one frame`, async () => {
  const { freshAppends, lastAppends, parts, reads } = await measureAppends(framehold, appends, 100, 5, 1_500);
  // The real limits are measured by `npm run bench:appends`; these are wide, because tests share the machine.
  assert.ok(lastAppends < 2 * freshAppends + 5, `${lastAppends} ms, to a fresh frame ${freshAppends} ms`);
  assert.ok(parts < 40, `${parts} parts are left`);
  for (const [way, { appended, whole }] of Object.entries(reads))
    assert.ok(appended < 4 * whole + 100, `${way}: ${appended} ms, at once ${whole} ms`);
});

test('every row is there, in order, and versions say what they said', async () => {
  const answer = await fetch(`${framehold.url}/exp?handle=appended&fmt=arrow`);
  const table = await readArrow(new Uint8Array(await answer.arrayBuffer()));
  assert.equal(table.rows, rows);
  assert.deepEqual(
    table.values.id,
    Array.from({ length: rows }, (_, index) => index % 100),
  );
  for (const version of [appends, appends - 9]) {
    const manifest = JSON.parse((await getText(`${framehold.url}/v1/frames/appended@${version}`)).text);
    assert.deepEqual([manifest.parts, manifest.rows], [version, 100 * version]);
  }
  assert.equal((await getText(`${framehold.url}/v1/frames/appended@${appends - 10}`)).status, 410);
  const early = await getText(`${framehold.url}/exp?handle=appended@${appends - 9}&fmt=csv`);
  assert.equal(early.text.trimEnd().split('\n').length, 1 + 100 * (appends - 9));
});

test('what was compacted leaves no files, and everything is there after kill -9', async () => {
  await framehold.until('removed files', () => {
    const { live, garbage } = catalogKeys(framehold.dataDirectory);
    const { keys } = objectFiles(framehold.dataDirectory);
    return garbage.length === 0 && keys.length === live.length ? keys : null;
  });
  const url = () => `${framehold.url}/exp?handle=appended&fmt=csv`;
  const { text } = await getText(url());
  await framehold.kill();
  await framehold.start();
  assert.equal((await getText(url())).text, text);
});
