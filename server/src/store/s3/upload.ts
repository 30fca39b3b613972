import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectContent } from '../../ports/object-store.ts';
import { type ChunkMemory, chunkBytes } from './chunk-memory.ts';
import { hashMetadata, headObject, tokenMetadata } from './download.ts';
import type { S3Connection } from './s3-connection.ts';
import { faultOf, unavailable } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';
import { completeSource, type GrowingSource, type UploadSource } from './upload-source.ts';

/** Parts of one object that are sent at once. */
const partsAtOnce = 4;
/** S3 takes 10,000; a very large object has larger parts. */
const partsMax = 9_000;
const mebibyte = 1024 * 1024;
/** For the word that an upload is given up. If it does not arrive, the upload is stale and goes by its age. */
const abortMs = 3_000;

/** Sends a file as an object that must not exist yet. If it does, it must be this one, sent by an earlier try whose answer was lost. */
export async function upload(
  { requests, memory }: UploadMeans,
  { key, bytes, sha256 }: StoredObject,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size !== bytes)
      throw new FrameholdError('internal', `The staged file of ${key} has ${size} bytes, not ${bytes}.`);
    const content = { bytes, sha256 };
    const sending = new Upload(requests, memory, key, file, completeSource(content), signal);
    await (bytes <= chunkBytes ? sending.whole(content) : sending.inParts(partBytesOf(bytes), content));
  } finally {
    closeSync(file);
  }
}

/** Sends a file in parts while it is written. False if that did not succeed, so that it has to be sent as a whole, if it is published. */
export async function uploadGrowing(
  { requests, memory }: UploadMeans,
  key: string,
  path: string,
  source: GrowingSource,
  signal: AbortSignal,
): Promise<boolean> {
  const file = openSync(path, 'r');
  const sending = new Upload(requests, memory, key, file, source, signal);
  try {
    await sending.inParts(chunkBytes, null);
    return true;
  } catch (thrown) {
    if (sending.isCompleting) throw thrown;
    return false;
  } finally {
    closeSync(file);
  }
}

export interface UploadMeans {
  readonly requests: S3Requests;
  readonly memory: ChunkMemory;
}

class Upload {
  readonly #requests: S3Requests;
  readonly #memory: ChunkMemory;
  readonly #key: string;
  readonly #file: number;
  readonly #source: UploadSource;
  readonly #signal: AbortSignal;
  readonly #place: { readonly Bucket: string; readonly Key: string };
  /** All parts are there: whether the object is, is not known until there is an answer. */
  isCompleting = false;
  /** Tells what this upload has written from what others have. */
  readonly #token = randomId();

  constructor(
    requests: S3Requests,
    memory: ChunkMemory,
    key: string,
    file: number,
    source: UploadSource,
    signal: AbortSignal,
  ) {
    this.#requests = requests;
    this.#memory = memory;
    this.#key = key;
    this.#file = file;
    this.#source = source;
    this.#signal = signal;
    this.#place = { Bucket: requests.connection.bucket, Key: requests.keyOf(key) };
  }

  async whole(content: ObjectContent): Promise<void> {
    const { bytes } = content;
    const put = this.#withChunk(0, bytes, (body, checksum) =>
      this.#requests.send('put', { bytes, signal: this.#signal }, ({ client, signal }) =>
        client.send(
          new PutObjectCommand({
            ...this.#place,
            ...this.#made(content),
            Body: body,
            ContentLength: bytes,
            ChecksumCRC32: checksum,
            IfNoneMatch: '*',
          }),
          { abortSignal: signal },
        ),
      ),
    );
    await put.catch((thrown) => this.#requireOwn(thrown, content));
  }

  /** `content` is null as long as nobody knows it. */
  async inParts(partBytes: number, content: ObjectContent | null): Promise<void> {
    const begin = new CreateMultipartUploadCommand({
      ...this.#place,
      ...this.#made(content),
      ChecksumAlgorithm: 'CRC32',
    });
    const options = { signal: this.#signal };
    const { UploadId: id } = await this.#requests.send('begin', options, ({ client, signal }) =>
      client.send(begin, { abortSignal: signal }),
    );
    if (id === undefined) throw unavailable(this.#requests.connection, new Error('an upload without an id'));
    try {
      const parts = await this.#sendParts(id, partBytes);
      const final = await this.#source.content();
      this.isCompleting = true;
      await this.#complete(id, parts, final.bytes).catch((thrown) => this.#requireOwn(thrown, final));
    } catch (thrown) {
      await this.#abort(id);
      throw thrown;
    }
  }

  /** The server joins the parts before it answers. An answer 200 may carry an error, which the client throws as any other. */
  async #complete(id: string, parts: CompletedPart[], bytes: number): Promise<void> {
    const command = new CompleteMultipartUploadCommand({
      ...this.#place,
      UploadId: id,
      MultipartUpload: { Parts: parts },
      IfNoneMatch: '*',
    });
    await this.#requests.send('complete', { bytes, signal: this.#signal }, ({ client, signal }) =>
      client.send(command, { abortSignal: signal }),
    );
  }

  async #sendParts(id: string, partBytes: number): Promise<CompletedPart[]> {
    const parts: CompletedPart[] = [];
    let [count, failed] = [0, false];
    const sender = async () => {
      for (;;) {
        const index = count++;
        const begin = index * partBytes;
        const end = Math.min(begin + partBytes, await this.#source.reach(begin + partBytes));
        if (end <= begin || failed) return;
        if (index >= partsMax) throw new Error('too many parts');
        parts[index] = await this.#sendPart(id, index + 1, begin, end - begin);
      }
    };
    const senders = Array.from({ length: partsAtOnce }, () =>
      sender().catch((thrown) => {
        failed = true;
        throw thrown;
      }),
    );
    try {
      await Promise.all(senders);
      return parts;
    } finally {
      // A part that arrives after its upload was given up would stay. So none is under way then, and none is cut short.
      await Promise.allSettled(senders);
    }
  }

  #sendPart(id: string, number: number, begin: number, length: number): Promise<CompletedPart> {
    return this.#withChunk(begin, length, async (body, checksum) => {
      const { ETag } = await this.#requests.send(
        'part',
        { bytes: length, signal: this.#signal },
        ({ client, signal }) =>
          client.send(
            new UploadPartCommand({
              ...this.#place,
              UploadId: id,
              PartNumber: number,
              Body: body,
              ContentLength: length,
              ChecksumCRC32: checksum,
            }),
            { abortSignal: signal },
          ),
      );
      return { PartNumber: number, ETag, ChecksumCRC32: checksum };
    });
  }

  async #withChunk<Result>(
    begin: number,
    length: number,
    use: (body: Uint8Array, checksum: string) => Promise<Result>,
  ): Promise<Result> {
    const chunk = await this.#memory.take(length, this.#signal);
    try {
      readWhole(this.#file, chunk.bytes, begin);
      return await use(chunk.bytes, base64Of(crc32(chunk.bytes)));
    } finally {
      chunk.release();
    }
  }

  /** The upload has failed already: what becomes of this changes nothing. */
  async #abort(id: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#place, UploadId: id });
    await this.#requests
      .send('abort', { signal: AbortSignal.timeout(abortMs) }, ({ client, signal }) =>
        client.send(command, { abortSignal: signal }),
      )
      .catch(() => {});
  }

  /** After an answer that the key, or the upload, is not what it was expected to be: an earlier try may have done it. */
  async #requireOwn(thrown: unknown, { bytes, sha256 }: ObjectContent): Promise<void> {
    const fault = faultOf(thrown);
    if (fault !== 'exists' && fault !== 'no-upload') throw thrown;
    const found = await headObject(this.#requests, this.#key, this.#signal);
    if (found === null) throw unavailable(this.#requests.connection, thrown);
    const isOwn = found.token === this.#token || found.sha256 === sha256;
    if (found.bytes !== bytes || !isOwn)
      throw new FrameholdError('internal', `The object store has other bytes under the key ${this.#key}.`, {
        cause: thrown,
      });
  }

  #made(content: ObjectContent | null) {
    const hash = content === null ? {} : { [hashMetadata]: content.sha256 };
    return {
      Metadata: { [tokenMetadata]: this.#token, ...hash },
      ...encryptionOf(this.#requests.connection),
    };
  }
}

function partBytesOf(bytes: number): number {
  return Math.max(chunkBytes, Math.ceil(bytes / partsMax / mebibyte) * mebibyte);
}

export function encryptionOf({ encryption, kmsKey }: S3Connection) {
  if (encryption === 'none') return {};
  return {
    ServerSideEncryption: encryption,
    ...(encryption === 'aws:kms' && kmsKey !== null ? { SSEKMSKeyId: kmsKey } : {}),
  };
}

function readWhole(file: number, target: Uint8Array, begin: number): void {
  for (let done = 0; done < target.byteLength; ) {
    const count = readSync(file, target, done, target.byteLength - done, begin + done);
    if (count === 0) throw new Error('a staged file became shorter while it was uploaded');
    done += count;
  }
}

/** As S3 writes checksums. */
function base64Of(checksum: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(checksum);
  return bytes.toString('base64');
}
