import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { after, test } from 'node:test';
import { openCaller } from '../../../src/model/caller.ts';
import { arrowBytes } from '../../support/python.ts';
import { objectPath } from '../../support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const ordered = (indices: string) =>
  `pa.table({'s': pa.DictionaryArray.from_arrays(pa.array(${indices}, pa.int8()), ['a', 'b'], ordered=True)})`;

test('an append that reads the dictionaries of a damaged frame is refused with frame_damaged', async () => {
  const folder = temporaryFolder('append-to-damaged');
  const core = await openCore(folder);
  after(async () => {
    await core.close();
    removeFolder(folder);
  });
  const { first, more } = await arrowBytes({
    first: ordered('[0, 1] * 2000'),
    more: ordered('[1]'),
  });
  const never = new AbortController().signal;
  const put = async (mode: 'create' | 'append', bytes: Uint8Array) => {
    const target = { name: 'f', mode, format: 'arrow', originFormat: 'arrow' } as const;
    const session = await core.frames.beginPut(openCaller, target, never);
    await session.write([bytes]);
    return await session.finish();
  };
  await put('create', first);
  // This process has read the part, and takes it for sound from now on.
  await put('append', more);
  const [part] = await core.catalog.parts('default', 'f', 1);
  truncateSync(objectPath(folder, part?.forms[0]?.objects[0]?.key ?? ''), 500);
  await assert.rejects(put('append', more), { kind: 'frame_damaged', message: /f@2/ });
  assert.equal((await core.catalog.knownDamage()).length, 1);
});
