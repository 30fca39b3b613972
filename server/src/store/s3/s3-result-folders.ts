import { rm } from 'node:fs/promises';
import { KeysInUse } from '../../base/keys-in-use.ts';
import { orderedId } from '../../model/handle.ts';
import type { Written } from '../../ports/codec.ts';
import type { ResultFile, ResultFolder, ResultFolders } from '../../ports/result-folders.ts';
import { changedResult, incompleteResult, resultFiles } from '../result-names.ts';
import { attemptsPrefix } from './result-objects.ts';
import type { S3Connection } from './s3-connection.ts';

/** Asks a thread that speaks to the bucket. */
type Ask = <Result>(task: string, payload: object, signal?: AbortSignal) => Promise<Result>;

/** Folders in the bucket of the objects, below a prefix that is no tenant's: `<prefix>/_attempts/<tenant>/<id>/`. */
export class S3ResultFolders implements ResultFolders {
  readonly #connection: Pick<S3Connection, 'bucket' | 'prefix'>;
  readonly #ask: Ask;
  readonly #inUse = new KeysInUse();

  constructor(connection: Pick<S3Connection, 'bucket' | 'prefix'>, ask: Ask) {
    this.#connection = connection;
    this.#ask = ask;
  }

  /** Nothing is written: a folder is there as soon as a key in it is. */
  async create(tenant: string): Promise<ResultFolder> {
    const { bucket, prefix } = this.#connection;
    const folder = `${tenant}/${orderedId()}`;
    const path = [prefix, attemptsPrefix, folder].filter((part) => part !== '').join('/');
    return new S3ResultFolder(folder, `s3a://${bucket}/${path}`, this.#ask, this.#inUse.hold([folder]));
  }

  async removeStale(before: number): Promise<number> {
    return await this.#ask('result-stale', { before, inUse: this.#inUse.all() });
  }
}

class S3ResultFolder implements ResultFolder {
  readonly address: string;
  readonly #folder: string;
  readonly #ask: Ask;
  readonly #release: () => void;

  constructor(folder: string, address: string, ask: Ask, release: () => void) {
    this.#folder = folder;
    this.address = address;
    this.#ask = ask;
    this.#release = release;
  }

  async files(): Promise<readonly ResultFile[]> {
    const entries = await this.#ask<readonly ResultFile[] | null>('result-list', { folder: this.#folder });
    if (entries === null) throw incompleteResult(new Error('too many entries'));
    return resultFiles(entries);
  }

  async copy(file: ResultFile, path: string, signal: AbortSignal): Promise<Written> {
    try {
      const task = { folder: this.#folder, file, path };
      const written = await this.#ask<Written | null>('result-copy', task, signal);
      if (written === null) throw changedResult();
      return written;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async remove(): Promise<void> {
    try {
      await this.#ask('result-remove', { folder: this.#folder });
    } finally {
      this.#release();
    }
  }
}
