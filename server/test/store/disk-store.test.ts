import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openDataDirectory } from '../../src/store/data-directory.ts';
import { DiskStore } from '../../src/store/disk-store.ts';
import { contentOf, publishBytes } from '../support/object-content.ts';
import { objectStoreConformance } from './object-store-conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'framehold-store-'));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshDirectory = () => join(root, String(++count));

objectStoreConformance('disk', async () => {
  const directory = freshDirectory();
  const open = () => DiskStore.open(directory, join(directory, 'cold'));
  const damage = (key: string, bytes: string) =>
    writeFile(join(directory, key.endsWith('.arrow') ? 'objects' : 'cold', key), bytes);
  const read = (address: string) => readFile(address.slice('file://'.length));
  return { store: await open(), reopen: open, damage, read };
});

describe('disk store', () => {
  it('keeps Parquet in its configured directory, and Arrow in the data directory', async () => {
    const directory = freshDirectory();
    const cold = freshDirectory();
    const store = await DiskStore.open(directory, cold);
    for (const key of ['t/a.arrow', 't/a.0.parquet']) await publishBytes(store, key, '');
    assert.deepEqual(await readdir(join(directory, 'objects', 't')), ['a.arrow']);
    assert.deepEqual(await readdir(join(cold, 't')), ['a.0.parquet']);
  });

  it('gives addresses with the whole path, in which nothing is escaped', () => {
    const store = DiskStore.at('data', '/a b/100% [cold]');
    assert.equal(store.address('t/a.0.parquet'), 'file:///a b/100% [cold]/t/a.0.parquet');
    assert.equal(store.address('t/a.arrow'), `file://${join(process.cwd(), 'data/objects/t/a.arrow')}`);
  });

  it('keeps an object that is held, and holds none that has gone', async () => {
    const directory = freshDirectory();
    const store = await DiskStore.open(directory, join(directory, 'cold'));
    const object = await publishBytes(store, 't/a.0.parquet', '');
    const release = await store.hold(object);
    assert.equal(await store.remove(object.key), false);
    release();
    assert.equal(await store.remove(object.key), true);
    await assert.rejects(store.hold(object), { kind: 'frame_damaged' });
    assert.equal(store.openCount, 0);
  });

  it('does not list, and so never removes, files that are not its own', async () => {
    const directory = freshDirectory();
    const cold = freshDirectory();
    await mkdir(join(cold, 'reports'), { recursive: true });
    await writeFile(join(cold, 'reports', 'summary.txt'), 'mine');
    const store = await DiskStore.open(directory, cold);
    for await (const page of store.list()) assert.deepEqual(page, []);
  });

  it('refuses keys that would leave its directories', async () => {
    const directory = freshDirectory();
    const store = await DiskStore.open(directory, join(directory, 'cold'));
    await assert.rejects(store.open({ key: '../a.arrow', ...contentOf('') }));
    await assert.rejects(store.remove('t/../../a.arrow'));
  });
});

describe('data directory', () => {
  it('is held by one process at a time, and free again after release', () => {
    const directory = freshDirectory();
    const first = openDataDirectory(directory, join(directory, 'cold'));
    assert.throws(() => openDataDirectory(directory, join(directory, 'cold')), /Another server uses/);
    first.release();
    openDataDirectory(directory, join(directory, 'cold')).release();
  });

  it('refuses a newer layout, by name', () => {
    const directory = freshDirectory();
    openDataDirectory(directory, join(directory, 'cold')).release();
    writeFileSync(join(directory, 'format.json'), '{"layout":99,"id":"x"}');
    assert.throws(() => openDataDirectory(directory, join(directory, 'cold')), /layout 99/);
  });

  it('refuses a layout file that says nothing', () => {
    const directory = freshDirectory();
    openDataDirectory(directory, join(directory, 'cold')).release();
    writeFileSync(join(directory, 'format.json'), 'no');
    assert.throws(() => openDataDirectory(directory, join(directory, 'cold')), /does not say which layout/);
  });

  it('refuses a Parquet directory of another data directory: its files would look like orphans', () => {
    const cold = freshDirectory();
    openDataDirectory(freshDirectory(), cold).release();
    assert.throws(() => openDataDirectory(freshDirectory(), cold), /belongs to another data directory/);
  });
});
