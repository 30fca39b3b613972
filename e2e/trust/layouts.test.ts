import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getText } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { runPython } from '../../server/test/support/python.ts';
import { serverFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

interface Expected {
  readonly frames: Readonly<Record<string, { readonly json: string; readonly arrow: string }>>;
  readonly gone: readonly string[];
  readonly expired: readonly string[];
}

/** Written by scripts/write-layout-fixture.ts with the code of that time. A killed server leaves all that a stopped one does, and more. */
for (const layout of inLongRun(
  ['layout-1', 'layout-6', 'layout-7', 'layout-8'],
  ['layout-1', 'layout-6', 'layout-8'],
)) {
  for (const end of inLongRun(['stopped', 'killed'], ['killed'])) {
    test(`a data directory of ${layout}, ${end}, is served equal and is sound`, async (t) => {
      const home = temporaryFolder('layout');
      t.after(() => removeFolder(home));
      const archive = join(serverFolder, 'test', 'fixtures', layout, `${end}.tar.gz`);
      execFileSync('tar', ['-C', home, '-xzf', archive]);
      const expected = JSON.parse(readFileSync(join(home, 'expected.json'), 'utf8')) as Expected;
      const data = join(home, 'data');

      const before = await runFramehold(['verify', '--data-dir', data]);
      assert.equal(before.code, 0, before.output);
      assert.match(before.output, /^\d\d objects, \d+ bytes: all as they were put\.$/m);

      for (const flags of [[], ['--cache-size', '0']]) {
        const framehold = await Framehold.start({ home, flags });
        try {
          await assertServed(framehold, expected);
        } finally {
          await framehold.stop();
        }
      }
      const after = await runFramehold(['verify', '--data-dir', data]);
      assert.equal(after.code, 0, after.output);
    });
  }
}

/** Handles whose two streams differ in schema or values; repr treats NaN as equal to itself, and shows the sign of zero. */
const differing = `
import base64, json, sys
import pyarrow as pa
read = lambda text: pa.ipc.open_stream(base64.b64decode(text)).read_all()
def differ(one, other):
    a, b = read(one), read(other)
    return not a.schema.equals(b.schema, check_metadata=True) or repr(a.to_pylist()) != repr(b.to_pylist())
print(json.dumps([handle for handle, (one, other) in json.load(sys.stdin).items() if differ(one, other)]))
`;

async function assertServed(framehold: Framehold, { frames, gone, expired }: Expected): Promise<void> {
  assert.ok(Object.keys(frames).length > 8);
  const pairs: Record<string, [string, string]> = {};
  for (const [handle, { json, arrow }] of Object.entries(frames)) {
    const answer = await getText(`${framehold.url}/exec?handle=${handle}&fmt=json`);
    assert.equal(answer.text, json, handle);
    const rows = await fetch(`${framehold.url}/v1/frames/${handle}/rows?fmt=arrow`);
    pairs[handle] = [arrow, Buffer.from(await rows.arrayBuffer()).toString('base64')];
  }
  assert.deepEqual(await runPython(['-c', differing], pairs), []);
  for (const name of [...gone, ...expired]) {
    // Remembered for 30 days; the archive is older by the time.
    const { status } = await getText(`${framehold.url}/v1/frames/${name}`);
    assert.ok(status === 410 || status === 404, `${name}: ${status}`);
  }
}
