import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Compaction } from '../../../src/frames/background/compaction.ts';
import { Recompression } from '../../../src/frames/background/recompression.ts';
import { Transcoding } from '../../../src/frames/background/transcoding.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../../src/model/caller.ts';
import type { LocalObject } from '../../../src/ports/object-store.ts';
import { faultyPort } from '../../support/faulty-port.ts';
import { arrowBytes } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

/** A store on another machine keeps a local copy for as long as it is open: code that opens an object has to release it. */

const never = new AbortController().signal;
let opened = 0;
let open = 0;
const core = await openCore(temporaryFolder('released'), {
  wrapStore: (store) =>
    faultyPort(
      store,
      new Map([
        [
          'open',
          async (work) => {
            const object = (await work()) as LocalObject;
            opened += 1;
            open += 1;
            let held = true;
            const release = () => {
              if (held) open -= 1;
              held = false;
              object.release();
            };
            return { ...object, release };
          },
        ],
      ]),
    ),
});
const { catalog, frames } = core;
const transcoding = new PartTranscoding(core);
after(() => core.close());

async function put(name: string, mode: 'create' | 'append', bytes: Uint8Array): Promise<void> {
  const target = { name, mode, format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([bytes]);
  await session.finish();
}

test('reading, compacting, transcoding and recompression release what they open', async () => {
  const { small, large } = await arrowBytes({
    small: "pa.table({'n': pa.array([1, 2, 3])})",
    // Of a dictionary the Arrow form stays for good.
    large:
      "pa.table({'n': pa.array(__import__('random').Random(1).choices(['a', 'b'], k=100000)).dictionary_encode()})",
  });
  assert.ok(small && large);
  for (let count = 0; count < 9; count++) await put('merged', count === 0 ? 'create' : 'append', small);
  await put('recompressed', 'create', large);
  const reading = await frames.read(openCaller, { name: 'merged', version: null }, {}, never);
  assert.deepEqual([opened, open], [9, 9]);
  reading.release();
  reading.release();
  assert.equal(open, 0);

  await catalog.sweep(1, null, Date.now());
  assert.equal(await new Compaction(core).run(never), 1);
  assert.deepEqual([opened, open], [18, 0]);
  assert.equal(await new Transcoding({ ...core, transcoding }).run(never, async () => {}), 'done');
  // The compacted part is small: it waits for others to be compacted with.
  assert.deepEqual([opened, open], [19, 0]);
  await new Recompression(core, 9).run(
    () => true,
    async () => {},
    never,
  );
  assert.equal(opened, 20);
  assert.equal(open, 0);
});
