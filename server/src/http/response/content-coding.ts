import type { Transform } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';

type Coding = 'gzip' | 'zstd';

/** There are some ten. A header may be 128 KiB, and reading as many commas would take a tenth of a second. */
const codingsMax = 50;

/** The best coding that the caller accepts, or null to send plain bytes. zstd costs a third of gzip for the same size. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined) return null;
  const accepted = new Map<string, number>();
  for (const piece of acceptEncoding.split(',', codingsMax)) {
    const [name = '', ...parameters] = piece.trim().toLowerCase().split(';', codingsMax);
    const quality = parameters
      .map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1])
      .find((value) => value !== undefined);
    accepted.set(name.trim(), quality === undefined ? 1 : Number(quality));
  }
  const zstd = accepted.get('zstd') ?? 0;
  const gzip = accepted.get('gzip') ?? accepted.get('*') ?? 0;
  if (zstd > 0 && zstd >= gzip) return 'zstd';
  return gzip > 0 ? 'gzip' : null;
}

/** Low levels: the network is rarely slower than a high one. */
export function createEncoder(coding: Coding): Transform {
  return coding === 'gzip'
    ? createGzip({ level: 1 })
    : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
