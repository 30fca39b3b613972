import type { ObjectFault } from '../ports/object-store.ts';
import { hashFile } from '../workers/hash-file.ts';
import { lowerPriority } from '../workers/lower-priority.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { confirmedFault, type ReadFault } from './confirmed-fault.ts';
import { type CopyTask, copyFile } from './copy-file.ts';

export interface VerifyTask {
  readonly objects: readonly ExpectedFile[];
  readonly bytesPerSecond: number | null;
}

export interface ExpectedFile {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A thread that reads local files and hashes them. */
serveTasks({
  copy: (task: CopyTask, { signal }: TaskContext) => copyFile(task, signal),
  async verify({ objects, bytesPerSecond }: VerifyTask, { signal }: TaskContext) {
    const faults: ObjectFault[] = [];
    for (const object of objects) {
      const fault = await confirmedFault(() => faultOf(object, bytesPerSecond, signal));
      if (fault !== null) faults.push({ key: object.key, ...fault });
    }
    return faults;
  },
  async 'lower-priority'() {
    await lowerPriority(10);
  },
});

async function faultOf(
  expected: ExpectedFile,
  bytesPerSecond: number | null,
  signal: AbortSignal,
): Promise<ReadFault | null> {
  try {
    const { bytes, hash } = await hashFile(expected.path, { signal, bytesPerSecond });
    if (bytes !== expected.bytes)
      return { kind: 'wrong-size', detail: `it has ${bytes} bytes, not ${expected.bytes}` };
    if (hash !== expected.sha256)
      return { kind: 'corrupt', detail: `its SHA-256 is ${hash}, not ${expected.sha256}` };
    return null;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'missing', detail: 'the file does not exist' };
    // The disk's own word that it cannot give the bytes back. Anything else says nothing about them.
    if (code === 'EIO') return { kind: 'unreadable', detail: message };
    throw thrown;
  }
}
