import { unreadableCredential } from './refusals.ts';

/** No token of ours and no JSON Web Token in use is longer; a header may be 128 KiB. */
const secretBytesMax = 16 * 1024;

/** The secret of a caller: after `Bearer`, or as the password of `Basic`, whatever the user. */
export function secretOf(authorization: string): string {
  // The usual case, without parsing: if the rest is malformed, it matches no token.
  if (authorization.startsWith('Bearer fh')) return authorization.slice('Bearer '.length);
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+) *$/.exec(authorization) ?? [];
  const secret =
    scheme.toLowerCase() === 'bearer'
      ? value
      : scheme.toLowerCase() === 'basic'
        ? passwordOf(value)
        : undefined;
  if (secret === undefined || secret === '' || secret.length > secretBytesMax) throw unreadableCredential();
  return secret;
}

function passwordOf(encoded: string): string | undefined {
  if (encoded.length > secretBytesMax * 2) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : text.slice(colon + 1);
}
