import type { Transform } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';

export type Coding = 'gzip' | 'zstd';

/** There are some ten. A header may be 128 KiB, and reading as many commas would take a tenth of a second. */
const codingsMax = 50;

/** The best coding that the caller accepts, or null to send plain bytes. zstd costs a third of gzip for the same size. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | null {
  const accepted = acceptedCodings(acceptEncoding);
  const zstd = accepted.get('zstd') ?? 0;
  const gzip = accepted.get('gzip') ?? accepted.get('*') ?? 0;
  if (zstd > 0 && zstd >= gzip) return 'zstd';
  return gzip > 0 ? 'gzip' : null;
}

/** Of bytes that were compressed in advance: the one that the caller likes best, the first of equals; null to send plain bytes. */
export function chooseStored<Stored extends { readonly coding: string }>(
  acceptEncoding: string | undefined,
  stored: readonly Stored[],
): Stored | null {
  const accepted = acceptedCodings(acceptEncoding);
  let best: Stored | null = null;
  let bestQuality = 0;
  for (const each of stored) {
    const quality = accepted.get(each.coding) ?? accepted.get('*') ?? 0;
    if (quality <= bestQuality) continue;
    best = each;
    bestQuality = quality;
  }
  return best;
}

/** The quality of each coding in the header. */
function acceptedCodings(acceptEncoding: string | undefined): ReadonlyMap<string, number> {
  const accepted = new Map<string, number>();
  if (acceptEncoding === undefined) return accepted;
  for (const piece of acceptEncoding.split(',', codingsMax)) {
    const [name = '', ...parameters] = piece.trim().toLowerCase().split(';', codingsMax);
    const quality = parameters
      .map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1])
      .find((value) => value !== undefined);
    accepted.set(name.trim(), quality === undefined ? 1 : Number(quality));
  }
  return accepted;
}

/** Low levels: the network is rarely slower than a high one. */
export function createEncoder(coding: Coding): Transform {
  return coding === 'gzip'
    ? createGzip({ level: 1 })
    : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
