import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { copyObjects } from '../../../src/commands/backup/copy-objects.ts';
import { DiskStore } from '../../../src/store/disk-store.ts';
import { publishBytes } from '../../support/object-content.ts';
import { flipBit, objectPath } from '../../support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

test('an object that is read wrongly is read again before it is left out of a backup', async () => {
  const [source, target] = [temporaryFolder('copy-from'), temporaryFolder('copy-to')];
  const from = await DiskStore.open(source, join(source, 'cold'));
  const to = await DiskStore.open(target, join(target, 'cold'));
  after(async () => {
    await Promise.all([from.close(), to.close()]);
    for (const folder of [source, target]) removeFolder(folder);
  });
  const objects = [
    await publishBytes(from, 't/aa.arrow', 'read wrongly'),
    await publishBytes(from, 't/ab.arrow', 'stored wrongly'),
  ];
  flipBit(objectPath(source, 't/ab.arrow'), 0.5);
  const spoiled = join(source, 'spoiled');
  writeFileSync(spoiled, 'read wronglY');
  let reads = 0;
  const open = from.open.bind(from);
  from.open = async (object) =>
    object.key === 't/aa.arrow' && ++reads === 1 ? { path: spoiled, release() {} } : open(object);
  const report = await copyObjects([objects], {
    from,
    to,
    has: async () => false,
    onProgress: () => {},
  });
  assert.deepEqual(
    report.faults.map(({ key, kind }) => [key, kind]),
    [['t/ab.arrow', 'corrupt']],
  );
  assert.equal(report.copiedObjects, 1);
  assert.equal(reads, 2);
});
