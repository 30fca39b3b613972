import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectContent, ObjectFault } from '../../ports/object-store.ts';
import type { ResultFile } from '../../ports/result-folders.ts';
import { lowerPriority } from '../../workers/lower-priority.ts';
import { serveTasks, type TaskContext } from '../../workers/serve-tasks.ts';
import { confirmedFault, type ReadFault } from '../confirmed-fault.ts';
import { abortUploads } from './abort-uploads.ts';
import { type BucketIdentity, readIdentity, requireIdentity, writeIdentity } from './bucket-identity.ts';
import { ChunkMemory } from './chunk-memory.ts';
import { download, headObject, ObjectDiffers } from './download.ts';
import { RequestCounts } from './request-counts.ts';
import { copyResult, listResult, removeResult, removeStaleResults } from './result-objects.ts';
import type { S3Connection } from './s3-connection.ts';
import { faultOf, unavailable } from './s3-faults.ts';
import { S3Requests } from './s3-requests.ts';
import { upload, uploadGrowing } from './upload.ts';
import { GrowingSource } from './upload-source.ts';

/** What every job is about. */
export interface S3Target {
  readonly connection: S3Connection;
  readonly counts: SharedArrayBuffer;
}

export interface TransferTask extends S3Target {
  readonly object: StoredObject;
  readonly path: string;
}

export interface RemoteVerifyTask extends S3Target {
  readonly objects: readonly StoredObject[];
  readonly catalogId: string;
  readonly bytesPerSecond: number | null;
}

export interface FollowTask extends S3Target {
  readonly key: string;
  readonly path: string;
}

/** What a job that follows a file is told. */
export type FollowMessage =
  | { readonly type: 'written'; readonly bytes: number }
  | { readonly type: 'complete'; readonly content: ObjectContent }
  | { readonly type: 'discarded' };

export interface RemoveTask extends S3Target {
  readonly key: string;
}

export interface StaleTask extends S3Target {
  readonly before: number;
}

export interface IdentityTask extends S3Target {
  readonly identity: BucketIdentity;
  readonly tag: string | null;
}

export interface ResultTask extends S3Target {
  /** `<tenant>/<id>`. */
  readonly folder: string;
}

export interface ResultCopyTask extends ResultTask {
  readonly file: ResultFile;
  readonly path: string;
}

export interface StaleResultsTask extends StaleTask {
  readonly inUse: readonly string[];
}

/** What a fill has found; `differs` says why the file is not the object. */
export interface FillReport {
  readonly differs: string | null;
}

const memory = new ChunkMemory();
/** A thread serves one store. */
let open: S3Requests | null = null;

function requestsTo({ connection, counts }: S3Target): S3Requests {
  open ??= new S3Requests(connection, new RequestCounts(counts));
  return open;
}

serveTasks({
  async upload(task: TransferTask, { signal }: TaskContext) {
    await upload({ requests: requestsTo(task), memory }, task.object, task.path, signal);
  },

  async follow(task: FollowTask, { signal, receive }: TaskContext) {
    const source = new GrowingSource();
    void listen(source, receive);
    return await uploadGrowing({ requests: requestsTo(task), memory }, task.key, task.path, source, signal);
  },

  async fill(task: TransferTask, { signal }: TaskContext): Promise<FillReport> {
    const fault = await confirmedFault(async (isRepeated) => {
      const file = openSync(task.path, isRepeated ? 'w' : 'wx');
      try {
        return await readFault(task, { ...task.object, isRepeated }, signal, (bytes) =>
          writeWhole(file, bytes),
        );
      } finally {
        closeSync(file);
      }
    });
    return { differs: fault?.detail ?? null };
  },

  async verify(task: RemoteVerifyTask, { signal }: TaskContext): Promise<readonly ObjectFault[]> {
    const faults: ObjectFault[] = [];
    for (const object of task.objects) {
      const fault = await remoteFault(task, object, signal);
      if (fault !== null) faults.push(fault);
    }
    return faults;
  },

  async remove(task: RemoveTask, { signal }: TaskContext) {
    const requests = requestsTo(task);
    const command = new DeleteObjectCommand({
      Bucket: task.connection.bucket,
      Key: requests.keyOf(task.key),
    });
    try {
      await requests.send('delete', { signal }, ({ client, signal: until }) =>
        client.send(command, { abortSignal: until }),
      );
    } catch (thrown) {
      if (faultOf(thrown) !== 'absent') throw thrown;
    }
  },

  async list(task: S3Target, { signal, emit }: TaskContext) {
    const requests = requestsTo(task);
    const prefix = requests.keyOf('');
    for (let token: string | undefined; ; ) {
      const command = new ListObjectsV2Command({
        Bucket: task.connection.bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const { Contents = [], NextContinuationToken } = await requests.send(
        'list',
        { signal },
        ({ client, signal: until }) => client.send(command, { abortSignal: until }),
      );
      const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(prefix.length)]));
      if (keys.length > 0) await emit(keys);
      if (NextContinuationToken === undefined) return;
      token = NextContinuationToken;
    }
  },

  stale: (task: StaleTask, { signal }: TaskContext) =>
    abortUploads(requestsTo(task), '', task.before, signal),

  async 'read-identity'(task: S3Target, { signal }: TaskContext) {
    return await readIdentity(requestsTo(task), signal);
  },

  async 'write-identity'(task: IdentityTask, { signal }: TaskContext) {
    return await writeIdentity(requestsTo(task), task.identity, task.tag, signal);
  },

  'result-list': (task: ResultTask, { signal }: TaskContext) =>
    listResult(requestsTo(task), task.folder, signal),

  'result-copy': (task: ResultCopyTask, { signal }: TaskContext) =>
    copyResult(requestsTo(task), memory, task, signal),

  'result-remove': (task: ResultTask, { signal }: TaskContext) =>
    removeResult(requestsTo(task), task.folder, signal),

  'result-stale': (task: StaleResultsTask, { signal }: TaskContext) =>
    removeStaleResults(requestsTo(task), task, signal),

  async 'lower-priority'() {
    await lowerPriority(10);
  },
});

/** Until the file is complete or discarded, or the job is cancelled. */
async function listen(source: GrowingSource, receive: TaskContext['receive']): Promise<void> {
  try {
    for (;;) {
      const message = (await receive()) as FollowMessage;
      if (message.type === 'complete') return source.finish(message.content);
      if (message.type === 'discarded') return source.giveUp();
      source.advance(message.bytes);
    }
  } catch {
    source.giveUp();
  }
}

/** Reads the bytes in the store, each piece given away as it comes, and compares them. */
async function readFault(
  target: S3Target,
  object: StoredObject & { readonly isRepeated: boolean },
  signal: AbortSignal,
  take: (bytes: Uint8Array) => void | Promise<void>,
): Promise<ReadFault | null> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of download(requestsTo(target), memory, object, signal)) {
      hash.update(bytes);
      await take(bytes);
    }
  } catch (thrown) {
    if (thrown instanceof ObjectDiffers) return { kind: thrown.kind, detail: thrown.message };
    throw thrown;
  }
  const sha256 = hash.digest('hex');
  if (sha256 === object.sha256) return null;
  return { kind: 'corrupt', detail: `its SHA-256 is ${sha256}, not ${object.sha256}` };
}

async function remoteFault(
  task: RemoteVerifyTask,
  object: StoredObject,
  signal: AbortSignal,
): Promise<ObjectFault | null> {
  const { key } = object;
  const fault = await confirmedFault((isRepeated) =>
    readFault(task, { ...object, isRepeated }, signal, paced(task.bytesPerSecond, signal)),
  );
  if (fault === null) return null;
  // Asked again, and only in the right bucket: a wrong one would make every object missing.
  if (fault.kind === 'missing') {
    await requireIdentity(requestsTo(task), task.catalogId, signal);
    if ((await headObject(requestsTo(task), key, signal)) !== null)
      throw unavailable(task.connection, new Error('the object is there and is not'));
  }
  return { key, ...fault };
}

/** Takes pieces at most so fast. */
function paced(bytesPerSecond: number | null, signal: AbortSignal): (piece: Uint8Array) => Promise<void> {
  const began = performance.now();
  let bytes = 0;
  return async (piece) => {
    bytes += piece.byteLength;
    if (bytesPerSecond === null) return;
    const early = (bytes / bytesPerSecond) * 1_000 - (performance.now() - began);
    if (early > 1) await sleep(early, undefined, { signal });
  };
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done, bytes.byteLength - done);
}
