import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** Where the public keys of an issuer come from. */
export type KeySource = { readonly url: string; readonly maxAgeMs: number } | { readonly file: string };

/** A key that is not known may be a new one: the issuer is asked again. Unknown callers must not cause requests more often than this. */
const cooldownMs = 1_000;
/** An issuer that takes longer counts as unreachable. */
const fetchTimeoutMs = 5_000;

/** The keys of the issuer, fetched when first needed, and again when they are old or one is missing. */
export function jwtKeys(source: KeySource): JWTVerifyGetKey {
  return 'url' in source ? remoteKeys(source.url, source.maxAgeMs) : fileKeys(source.file);
}

function remoteKeys(url: string, maxAgeMs: number): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    timeoutDuration: fetchTimeoutMs,
  });
}

/** Read again when the file has changed. */
function fileKeys(file: string): JWTVerifyGetKey {
  let read: { readonly stamp: string; readonly keys: JWTVerifyGetKey } | null = null;
  return async (header, token) => {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    const stamp = `${mtimeNs}/${size}/${ino}`;
    if (read?.stamp !== stamp) {
      const set = JSON.parse(await readFile(file, 'utf8')) as JSONWebKeySet;
      read = { stamp, keys: createLocalJWKSet(set) };
    }
    return read.keys(header, token);
  };
}
