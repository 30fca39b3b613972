import type { ContentDigest } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';

/** The algorithms that RFC 9530 calls active, with the length of their values. Others are ignored, as it requires. */
const algorithms: Readonly<
  Record<string, { readonly name: ContentDigest['algorithm']; readonly bytes: number }>
> = {
  'sha-256': { name: 'sha256', bytes: 32 },
  'sha-512': { name: 'sha512', bytes: 64 },
};

/** A sender has one or two. */
const membersMax = 20;

/** One member of the dictionary: `key=:base64:`, perhaps with parameters, which mean nothing here. */
const member = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)?$/;

/**
 * The digests in `Content-Digest` and `Repr-Digest`. A request carries a whole representation, so both are of the same
 * bytes: the content as it was sent, with its content coding.
 */
export function contentDigests(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ContentDigest[] {
  return ['content-digest', 'repr-digest'].flatMap((header) => {
    const text = headers[header];
    return text === undefined ? [] : parseDigests(header, String(text));
  });
}

function parseDigests(header: string, text: string): ContentDigest[] {
  const pieces = text.split(',', membersMax + 1);
  if (pieces.length > membersMax) throw malformed(header);
  return pieces.flatMap((piece) => {
    const [, key = '', base64 = ''] = member.exec(piece.trim()) ?? [];
    if (key === '') throw malformed(header);
    const algorithm = algorithms[key];
    if (algorithm === undefined) return [];
    const value = Buffer.from(base64, 'base64');
    if (value.length !== algorithm.bytes) throw malformed(header);
    return [{ algorithm: algorithm.name, hex: value.toString('hex') }];
  });
}

function malformed(header: string): FrameholdError {
  return new FrameholdError('bad_request', `The header ${header} cannot be read.`, {
    hint: 'For example sha-256=:base64 of the 32 bytes:, as in RFC 9530.',
  });
}
