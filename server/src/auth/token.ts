import { hash, randomBytes } from 'node:crypto';

/**
 * A token is `fh_`, an id that may be shown, and a secret of 256 random bits. Only the secret's SHA-256 is kept: there is nothing to
 * guess in it, so a slow hash would protect nothing and cost every request.
 */
export interface Token {
  readonly id: string;
  readonly secret: string;
}

/** 32 bytes in base64url. */
export const secretLength = 43;
const tokenPattern = /^fh_([a-z2-7]{12})_([A-Za-z0-9_-]{43})$/;
const idPattern = /^[a-z2-7]{12}$/;
const idLetters = 'abcdefghijklmnopqrstuvwxyz234567';

export function mintToken(): Token {
  return { id: mintId(), secret: randomBytes(32).toString('base64url') };
}

/** The name of a credential in lists and logs. */
export function mintId(): string {
  return [...randomBytes(12)].map((byte) => idLetters[byte & 31]).join('');
}

export function tokenText({ id, secret }: Token): string {
  return `fh_${id}_${secret}`;
}

export function parseToken(text: string): Token | null {
  const [, id, secret] = tokenPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** The id out of a whole token, or as it is; null for anything else. */
export function idOf(text: string): string | null {
  return parseToken(text)?.id ?? (idPattern.test(text) ? text : null);
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
