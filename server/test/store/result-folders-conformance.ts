import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ResultFolder, ResultFolders } from '../../src/ports/result-folders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What every place for results must do. The engine's side is played by `write`: it knows a folder by its address alone. */
export interface FoldersUnderTest {
  readonly folders: ResultFolders;
  /** Writes a file below the address of a folder, as the engine does. */
  write(address: string, name: string, bytes: string): Promise<void>;
  /** The names of all files below the address. */
  left(address: string): Promise<readonly string[]>;
}

const signal = new AbortController().signal;

export function resultFoldersConformance(name: string, open: () => Promise<FoldersUnderTest>): void {
  describe(`result folders: ${name}`, () => {
    it('gives the files of a complete result in the order of their names, with their bytes', async () => {
      const { folders, write } = await open();
      const folder = await folders.create('acme');
      for (const file of ['part-00002-a.parquet', 'part-00000-a.parquet', 'part-00001-a.parquet'])
        await write(folder.address, file, `bytes of ${file}`);
      await write(folder.address, '_SUCCESS', '');
      const files = await folder.files();
      assert.deepEqual(
        files.map((file) => [file.name, file.bytes]),
        [0, 1, 2].map((number) => [`part-0000${number}-a.parquet`, 29]),
      );
      await folder.remove();
    });

    it('copies a file, and says which bytes it copied', async () => {
      const { folders, write } = await open();
      const folder = await complete(folders, write, 'x'.repeat(3_000_000));
      const [file] = await folder.files();
      const path = join(temporaryFolder('copy'), 'copy');
      assert.ok(file);
      const written = await folder.copy(file, path, signal);
      const bytes = readFileSync(path);
      assert.equal(bytes.toString(), 'x'.repeat(3_000_000));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(written, { bytes: 3_000_000, sha256 });
      await folder.remove();
    });

    it('copies a file without bytes', async () => {
      const { folders, write } = await open();
      const folder = await complete(folders, write, '');
      const [file] = await folder.files();
      assert.ok(file);
      const path = join(temporaryFolder('copy'), 'copy');
      assert.equal((await folder.copy(file, path, signal)).bytes, 0);
      await folder.remove();
    });

    it('says that a result is not complete before its last file is there', async () => {
      const { folders, write } = await open();
      const folder = await folders.create('acme');
      await assert.rejects(folder.files(), { kind: 'engine_failed' });
      await write(folder.address, 'part-00000-a.parquet', 'x');
      await assert.rejects(folder.files(), { kind: 'engine_failed', message: /did not complete/ });
      await folder.remove();
    });

    it('leaves out what committers keep beside the files', async () => {
      const { folders, write } = await open();
      const folder = await complete(folders, write, 'x');
      for (const name of ['_temporary/0/task/part-00009-a.parquet', '.part-00000-a.parquet.crc'])
        await write(folder.address, name, 'unfinished');
      assert.equal((await folder.files()).length, 1);
      await folder.remove();
    });

    it('refuses a folder with something else in it', async () => {
      const { folders, write } = await open();
      for (const name of ['notes.txt', 'day=1/part-00000-a.parquet', 'part-00000']) {
        const folder = await complete(folders, write, 'x');
        await write(folder.address, name, 'x');
        await assert.rejects(folder.files(), { kind: 'engine_failed', message: /something else/ });
        await folder.remove();
      }
    });

    it('does not copy a file that has changed since it was listed, and leaves no half of it', async () => {
      const { folders, write } = await open();
      for (const changed of ['other', 'longer than it was', '']) {
        const folder = await complete(folders, write, 'bytes');
        const [file] = await folder.files();
        assert.ok(file);
        await write(folder.address, file.name, changed);
        const path = join(temporaryFolder('copy'), 'copy');
        await assert.rejects(folder.copy(file, path, signal), { kind: 'engine_failed', message: /changed/ });
        assert.equal(existsSync(path), false);
        await folder.remove();
      }
    });

    it('removes a folder with all that is in it, and again does nothing', async () => {
      const { folders, write, left } = await open();
      const folder = await complete(folders, write, 'x');
      await write(folder.address, '_temporary/0/task/part-00009-a.parquet', 'x');
      const other = await complete(folders, write, 'y');
      await folder.remove();
      await folder.remove();
      assert.deepEqual(await left(folder.address), []);
      assert.equal((await other.files()).length, 1);
      await other.remove();
    });

    it('removes folders that were left, except those in use and those that are young', async () => {
      const { folders, write, left } = await open();
      const used = await complete(folders, write, 'x');
      assert.equal(await folders.removeStale(Date.now() + 60_000), 0);
      assert.equal((await used.files()).length, 1);
      await used.remove();

      // Left as a process leaves them that was killed: another one finds them.
      const lost = await complete(folders, write, 'x');
      const { folders: later } = await open();
      assert.equal(await later.removeStale(Date.now() - 60_000), 0);
      assert.equal((await left(lost.address)).length, 2);
      assert.equal(await later.removeStale(Date.now() + 60_000), 1);
      assert.deepEqual(await left(lost.address), []);
    });
  });
}

async function complete(
  folders: ResultFolders,
  write: FoldersUnderTest['write'],
  bytes: string,
): Promise<ResultFolder> {
  const folder = await folders.create('acme');
  await write(folder.address, 'part-00000-a.parquet', bytes);
  await write(folder.address, '_SUCCESS', '');
  return folder;
}
