import { promisify } from 'node:util';
import { gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { FrameholdError } from '../../model/errors.ts';
import { messagePrefixBytes } from '../grpc-message.ts';
import { ChunkedMessage, noRoom, RefusedMessage } from './message-decoder.ts';
import type { CallMemory } from './message-memory.ts';

/**
 * The largest message that comes compressed. A kilobyte of it can become a megabyte, and how many it is shows only once they are there; a
 * message that is larger than this can be sent as it is.
 */
const inflatedBytesMax = 64 * 1024 * 1024;
/** At once, over all calls: half of the threads that Node has for this and for files. What waits holds only what the caller sent. */
const runningMax = 2;

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;
const inflaters: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['gzip', promisify<Uint8Array, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<Uint8Array, ZlibOptions, Buffer>(inflate)],
]);

/** Takes messages apart that were compressed by gRPC (`grpc-encoding`), in place of grpc-js, which bounds one message and not all together. */
export class MessageInflater {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `message` has its prefix. A message that cannot be accepted is replaced by the reason. */
  async inflate(
    message: Buffer,
    encoding: string,
    memory: CallMemory,
    messageBytesMax: number,
  ): Promise<ChunkedMessage> {
    const bytesMax = Math.min(messageBytesMax, inflatedBytesMax);
    const packed = message.subarray(messagePrefixBytes);
    const inflateBytes = inflaters.get(encoding);
    if (inflateBytes === undefined) return new RefusedMessage(unknownEncoding(encoding));
    if (this.#running >= runningMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      // The caller disconnected while it waited.
      if (memory.ended) return new RefusedMessage(noRoom());
      const bytes = await inflateBytes(packed, { maxOutputLength: bytesMax });
      memory.give(packed.length);
      return memory.take(bytes.length) ? new ChunkedMessage([bytes]) : new RefusedMessage(noRoom());
    } catch (error) {
      return new RefusedMessage(refusal(error, bytesMax));
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}

function refusal(error: unknown, bytesMax: number): FrameholdError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
    return new FrameholdError(
      'body_too_large',
      `A compressed message becomes larger than ${bytesMax} bytes, which is the most that is taken here.`,
      { hint: 'Send smaller batches, or without the compression of gRPC: Arrow has its own.' },
    );
  }
  return new FrameholdError('bad_body', 'A message is not what its grpc-encoding says.', { cause: error });
}

function unknownEncoding(encoding: string): FrameholdError {
  return new FrameholdError(
    'unimplemented',
    `There is no grpc-encoding ${JSON.stringify(encoding.slice(0, 40))}.`,
    {
      hint: 'Send gzip or deflate, or do not compress.',
    },
  );
}
