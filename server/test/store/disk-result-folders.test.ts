import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DiskResultFolders } from '../../src/store/disk-result-folders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { resultFoldersConformance } from './result-folders-conformance.ts';

const opened: DiskResultFolders[] = [];
after(async () => {
  for (const folders of opened) await folders.close();
});

function openAt(root: string): DiskResultFolders {
  const folders = new DiskResultFolders(root);
  opened.push(folders);
  return folders;
}

const pathOf = (address: string) => address.slice('file://'.length);
const shared = join(temporaryFolder('attempts'), 'attempts');
const signal = new AbortController().signal;

resultFoldersConformance('a directory', async () => ({
  folders: openAt(shared),
  async write(address, name, bytes) {
    const path = join(pathOf(address), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  },
  left: (address) => readdir(pathOf(address)).catch(() => []),
}));

describe('result folders in a directory', () => {
  const root = temporaryFolder('attempts');
  const secret = join(root, 'secret.parquet');
  writeFileSync(secret, 'secret');

  async function folderWith(fill: (path: string) => void) {
    const folder = await openAt(join(root, 'attempts')).create('acme');
    const path = pathOf(folder.address);
    mkdirSync(path);
    writeFileSync(join(path, '_SUCCESS'), '');
    fill(path);
    return { folder, path };
  }

  it('does not follow a link in place of a file', async () => {
    for (const link of [symlinkSync, linkSync]) {
      const { folder } = await folderWith((path) => link(secret, join(path, 'part-00000-a.parquet')));
      await assert.rejects(folder.files(), { kind: 'engine_failed' });
      await folder.remove();
    }
    assert.equal(statSync(secret).size, 6);
  });

  it('does not follow a link that took the place of a file after it was listed', async () => {
    const { folder, path } = await folderWith((path) =>
      writeFileSync(join(path, 'part-00000-a.parquet'), 'secret'),
    );
    const [file] = await folder.files();
    assert.ok(file);
    renameSync(join(path, file.name), join(path, '_moved'));
    symlinkSync(secret, join(path, file.name));
    const copy = join(root, 'copy-of-link');
    await assert.rejects(folder.copy(file, copy, signal), { kind: 'engine_failed', message: /changed/ });
    await folder.remove();
  });

  it('does not follow a link in place of the folder, neither before nor after it was listed', async () => {
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, '_SUCCESS'), '');
    writeFileSync(join(elsewhere, 'part-00000-a.parquet'), 'others');
    const folders = openAt(join(root, 'attempts'));
    const linked = await folders.create('acme');
    symlinkSync(elsewhere, pathOf(linked.address));
    await assert.rejects(linked.files(), { kind: 'engine_failed' });
    await linked.remove();

    const { folder, path } = await folderWith((path) =>
      writeFileSync(join(path, 'part-00000-a.parquet'), 'mine!!'),
    );
    const [file] = await folder.files();
    assert.ok(file);
    renameSync(path, `${path}-moved`);
    symlinkSync(elsewhere, path);
    const copy = join(root, 'copy-of-folder');
    const written = await folder.copy(file, copy, signal);
    assert.equal(written.bytes, 6);
    await folder.remove();
    // Removing the folder has removed the link, not what it leads to.
    assert.deepEqual((await readdir(elsewhere)).sort(), ['_SUCCESS', 'part-00000-a.parquet']);
  });

  it('refuses what is not a regular file', async () => {
    const { folder } = await folderWith((path) => mkdirSync(join(path, 'part-00000-a.parquet')));
    await assert.rejects(folder.files(), { kind: 'engine_failed' });
    await folder.remove();
  });

  it('lets the group of the directory write in the folder, and others not even see it', async () => {
    const top = join(root, 'grouped');
    mkdirSync(top);
    chmodSync(top, 0o2750);
    const folder = await openAt(top).create('acme');
    const made = dirname(pathOf(folder.address));
    assert.equal(statSync(made).mode & 0o777, 0o770);
    assert.equal(statSync(dirname(made)).mode & 0o777, 0o750);
    await folder.remove();
  });

  it('leaves alone what is none of its folders', async () => {
    const top = join(root, 'others');
    mkdirSync(join(top, 'acme', 'kept'), { recursive: true });
    assert.equal(await openAt(top).removeStale(Number.MAX_SAFE_INTEGER), 0);
    assert.deepEqual(await readdir(join(top, 'acme')), ['kept']);
    assert.equal(await openAt(join(root, 'absent')).removeStale(Number.MAX_SAFE_INTEGER), 0);
  });
});
