import { timePasses } from './passing-time.ts';

/**
 * What may happen to the body of an answer on its way. `flip`: one bit is another. `repeat`: bytes come twice, and as many are missing at the end. `shorten`: half of
 * it, with a length that says so. `cut`: half of it, and the connection ends. `delay`: it comes later.
 */
export type BodyFault = 'flip' | 'repeat' | 'shorten' | 'cut' | 'delay';

export interface BodyFaults {
  /** Of the bodies that are spoiled: 0.3 is 30 %. */
  readonly share: number;
  /** One of these, at random. */
  readonly kinds: readonly BodyFault[];
  /** Only answers to requests for such a path. */
  readonly matches?: (path: string) => boolean;
  /** From 0 to below 1. A constant one spoils every body in the same way each time. */
  readonly random?: () => number;
  readonly delayMs?: number;
}

/** A body as it arrives. */
export interface SpoiledBody {
  readonly bytes: Uint8Array;
  /** The answer says that it has so many. */
  readonly length: number;
}

/** The body as it arrives; the same if nothing happens to it. */
export async function spoiled(faults: BodyFaults, path: string, body: Buffer): Promise<SpoiledBody | null> {
  const { share, kinds, matches = () => true, random = Math.random, delayMs = 200 } = faults;
  if (body.length === 0 || !matches(path) || random() >= share) return null;
  const kind = kinds[Math.floor(random() * kinds.length)];
  const half = body.subarray(0, Math.floor(body.length / 2));
  switch (kind) {
    case 'flip':
      return whole(flipped(body, random));
    case 'repeat':
      return whole(Buffer.concat([half, body]).subarray(0, body.length));
    case 'shorten':
      return whole(half);
    case 'cut':
      return { bytes: half, length: body.length };
    default:
      await timePasses(delayMs, 'a body that comes later');
      return whole(body);
  }
}

function whole(bytes: Uint8Array): SpoiledBody {
  return { bytes, length: bytes.length };
}

function flipped(body: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(body);
  const at = Math.floor(random() * copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return copy;
}
