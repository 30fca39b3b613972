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
import { FrameholdError } from '../../frames/errors.ts';
import type { StoredObject } from '../../frames/version.ts';
import { type ChunkMemory, chunkBytes } from './chunk-memory.ts';
import { hashMetadata, headObject } from './download.ts';
import type { S3Connection } from './s3-connection.ts';
import { faultOf, unavailable } from './s3-faults.ts';
import type { S3Requests } from './s3-requests.ts';

/** Parts of one object that are sent at once. */
const partsAtOnce = 4;
/** S3 takes 10,000; a very large object has larger parts. */
const partsMax = 9_000;
const mebibyte = 1024 * 1024;
/** For the word that an upload is given up. If it does not arrive, the upload is stale and goes by its age. */
const abortMs = 3_000;

/** Sends a file as an object that must not exist yet. If it does, it must be this one, sent by an earlier try whose answer was lost. */
export async function upload(
  requests: S3Requests,
  memory: ChunkMemory,
  object: StoredObject,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size !== object.bytes)
      throw new FrameholdError(
        'internal',
        `The staged file of ${object.key} has ${size} bytes, not ${object.bytes}.`,
      );
    await new Upload(requests, memory, object, file, signal).run();
  } finally {
    closeSync(file);
  }
}

class Upload {
  readonly #requests: S3Requests;
  readonly #memory: ChunkMemory;
  readonly #object: StoredObject;
  readonly #file: number;
  readonly #signal: AbortSignal;
  readonly #place: { readonly Bucket: string; readonly Key: string };

  constructor(
    requests: S3Requests,
    memory: ChunkMemory,
    object: StoredObject,
    file: number,
    signal: AbortSignal,
  ) {
    this.#requests = requests;
    this.#memory = memory;
    this.#object = object;
    this.#file = file;
    this.#signal = signal;
    this.#place = { Bucket: requests.connection.bucket, Key: requests.keyOf(object.key) };
  }

  async run(): Promise<void> {
    try {
      await (this.#object.bytes <= chunkBytes ? this.#whole() : this.#inParts());
    } catch (thrown) {
      const fault = faultOf(thrown);
      if (fault !== 'exists' && fault !== 'no-upload') throw thrown;
      await this.#requireSame(thrown);
    }
  }

  async #whole(): Promise<void> {
    const { bytes } = this.#object;
    await this.#withChunk(0, bytes, (body, checksum) =>
      this.#requests.send('put', { bytes, signal: this.#signal }, ({ client, signal }) =>
        client.send(
          new PutObjectCommand({
            ...this.#place,
            ...this.#made(),
            Body: body,
            ContentLength: bytes,
            ChecksumCRC32: checksum,
            IfNoneMatch: '*',
          }),
          { abortSignal: signal },
        ),
      ),
    );
  }

  async #inParts(): Promise<void> {
    const begin = new CreateMultipartUploadCommand({
      ...this.#place,
      ...this.#made(),
      ChecksumAlgorithm: 'CRC32',
    });
    const options = { signal: this.#signal };
    const { UploadId: id } = await this.#requests.send('begin', options, ({ client, signal }) =>
      client.send(begin, { abortSignal: signal }),
    );
    if (id === undefined) throw unavailable(this.#requests.connection, new Error('an upload without an id'));
    try {
      const parts = await this.#sendParts(id);
      const complete = new CompleteMultipartUploadCommand({
        ...this.#place,
        UploadId: id,
        MultipartUpload: { Parts: parts },
        IfNoneMatch: '*',
      });
      // The server joins the parts before it answers. An answer 200 may carry an error, which the client throws as any other.
      await this.#requests.send('complete', { ...options, bytes: this.#object.bytes }, ({ client, signal }) =>
        client.send(complete, { abortSignal: signal }),
      );
    } catch (thrown) {
      if (faultOf(thrown) !== 'no-upload') await this.#abort(id);
      throw thrown;
    }
  }

  async #sendParts(id: string): Promise<CompletedPart[]> {
    const { bytes } = this.#object;
    const partBytes = Math.max(chunkBytes, Math.ceil(bytes / partsMax / mebibyte) * mebibyte);
    const parts: CompletedPart[] = [];
    const stop = new AbortController();
    const until = AbortSignal.any([this.#signal, stop.signal]);
    let next = 0;
    const sender = async () => {
      while (next < bytes) {
        const begin = next;
        const length = Math.min(partBytes, bytes - begin);
        next += length;
        const number = begin / partBytes + 1;
        parts[number - 1] = await this.#sendPart(id, number, begin, length, until);
      }
    };
    const senders = Array.from({ length: partsAtOnce }, sender);
    try {
      await Promise.all(senders);
      return parts;
    } finally {
      stop.abort();
      // The file stays open, and the upload is not given up, until no part is under way.
      await Promise.allSettled(senders);
    }
  }

  #sendPart(
    id: string,
    number: number,
    begin: number,
    length: number,
    until: AbortSignal,
  ): Promise<CompletedPart> {
    return this.#withChunk(begin, length, async (body, checksum) => {
      const { ETag } = await this.#requests.send(
        'part',
        { bytes: length, signal: until },
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

  async #requireSame(thrown: unknown): Promise<void> {
    const { key, bytes, sha256 } = this.#object;
    const found = await headObject(this.#requests, key, this.#signal);
    if (found === null) throw unavailable(this.#requests.connection, thrown);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new FrameholdError('internal', `The object store has other bytes under the key ${key}.`, {
        cause: thrown,
      });
  }

  #made() {
    return { Metadata: { [hashMetadata]: this.#object.sha256 }, ...encryptionOf(this.#requests.connection) };
  }
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
