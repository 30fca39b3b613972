import { asFrameholdError } from '../frames/errors.ts';
import type { ObjectFault, ObjectStore } from '../frames/ports/object-store.ts';
import type { StoredObject } from '../frames/version.ts';
import { readHashed } from './copy-file.ts';

/** Copies at the same time: small objects are mostly waiting for the disk to sync. */
const copiesAtOnce = 4;
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

async function copyObject(
  object: StoredObject,
  from: ObjectStore,
  to: ObjectStore,
): Promise<ObjectFault | null> {
  const { key, bytes, sha256 } = object;
  try {
    const source = await from.open(object);
    try {
      const target = await to.staging.file(key);
      try {
        const read = await readHashed(source.path, (piece) => target.write([piece]));
        if (read.bytes !== bytes)
          return { key, kind: 'wrong-size', detail: `it has ${read.bytes} bytes, not ${bytes}` };
        if (read.sha256 !== sha256)
          return { key, kind: 'corrupt', detail: `its SHA-256 is ${read.sha256}, not ${sha256}` };
        await to.publish(target, { bytes, sha256 });
        return null;
      } finally {
        await target.discard();
      }
    } finally {
      source.release();
    }
  } catch (error) {
    // The source alone can say whether its object is missing or cannot be read. Anything else ends the copy.
    if (!isReadFailure(error)) throw error;
    const signal = new AbortController().signal;
    const [fault] = await from.verify([object], { bytesPerSecond: null, signal });
    if (fault === undefined) throw error;
    return fault;
  }
}

function isReadFailure(error: unknown): boolean {
  return asFrameholdError(error).kind === 'internal' && (error as NodeJS.ErrnoException).code !== 'ENOSPC';
}

/** Whether a store has the object, whole and as it was put. Reads all of it. */
export async function isSound(store: ObjectStore, object: StoredObject): Promise<boolean> {
  const signal = new AbortController().signal;
  return (await store.verify([object], { bytesPerSecond: null, signal })).length === 0;
}
