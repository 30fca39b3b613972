import { asFrameholdError } from '../../model/errors.ts';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectFault, ObjectStore } from '../../ports/object-store.ts';
import { readHashed } from './copy-file.ts';

/** Copies at the same time: small objects are mostly waiting for the disk to sync. */
const copiesAtOnce = 4;
/** Of an object that does not arrive as it is stored. */
const copiesMax = 3;
/** Faults that are listed one by one; more than this is a lost disk. */
export const faultsMax = 10_000;

export interface ObjectCopy {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Whether the object is in the target already, whole. */
  readonly has: (object: StoredObject) => Promise<boolean>;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface CopyProgress {
  /** Objects that are in the target now, and their bytes. */
  readonly objects: number;
  readonly bytes: number;
  /** Of these, what was not there before. */
  readonly copiedObjects: number;
  readonly copiedBytes: number;
}

export interface CopyReport extends CopyProgress {
  /** Objects that the source does not have as they were put. They are not in the target. */
  readonly faults: readonly ObjectFault[];
}

/** Copies objects from store to store, each compared with its size and SHA-256 before it is published. Repeating it copies what is missing. */
export async function copyObjects(
  pages: Iterable<readonly StoredObject[]> | AsyncIterable<readonly StoredObject[]>,
  { from, to, has, onProgress }: ObjectCopy,
): Promise<CopyReport> {
  const progress = { objects: 0, bytes: 0, copiedObjects: 0, copiedBytes: 0 };
  const faults: ObjectFault[] = [];
  const copyOne = async (object: StoredObject): Promise<void> => {
    if (!(await has(object))) {
      const fault = await copyObject(object, from, to);
      if (fault !== null) {
        if (faults.length < faultsMax) faults.push(fault);
        return;
      }
      progress.copiedObjects += 1;
      progress.copiedBytes += object.bytes;
    }
    progress.objects += 1;
    progress.bytes += object.bytes;
    onProgress(progress);
  };
  for await (const page of pages) {
    const rest = page.values();
    const work = async () => {
      for (const object of rest) await copyOne(object);
    };
    await Promise.all(Array.from({ length: copiesAtOnce }, work));
  }
  return { ...progress, faults };
}

/** Says what is wrong with the source, if that is why it cannot be copied; it has been read again and again then. */
async function copyObject(
  object: StoredObject,
  from: ObjectStore,
  to: ObjectStore,
): Promise<ObjectFault | null> {
  for (let copies = 1; ; copies++) {
    let failure: unknown = new Error(`${object.key} came with other bytes than it has`);
    try {
      if (await isCopied(object, from, to)) return null;
    } catch (error) {
      // The source alone can say whether its object is missing or cannot be read. Anything else ends the copy.
      if (!isReadFailure(error)) throw error;
      failure = error;
    }
    const signal = new AbortController().signal;
    const [fault] = await from.verify([object], { bytesPerSecond: null, signal });
    if (fault !== undefined) return fault;
    if (copies === copiesMax) throw failure;
  }
}

/** False, and nothing is published, if it was not read as it was put. */
async function isCopied(
  { key, bytes, sha256 }: StoredObject,
  from: ObjectStore,
  to: ObjectStore,
): Promise<boolean> {
  const source = await from.open({ key, bytes, sha256 });
  try {
    const target = await to.staging.file(key);
    try {
      const read = await readHashed(source.path, (piece) => target.write([piece]));
      if (read.bytes !== bytes || read.sha256 !== sha256) return false;
      await to.publish(target, { bytes, sha256 });
      return true;
    } finally {
      await target.discard();
    }
  } finally {
    source.release();
  }
}

function isReadFailure(error: unknown): boolean {
  const { kind } = asFrameholdError(error);
  return kind === 'frame_damaged' || kind === 'internal';
}

/** Whether a store has the object, whole and as it was put. Reads all of it. */
export async function isSound(store: ObjectStore, object: StoredObject): Promise<boolean> {
  const signal = new AbortController().signal;
  return (await store.verify([object], { bytesPerSecond: null, signal })).length === 0;
}
