import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Identity } from '../frames/access/caller.ts';
import { FrameholdError } from '../frames/errors.ts';
import type { FrameLink, Links } from '../frames/ports/links.ts';
import { isTenant } from '../frames/tenants/tenant.ts';
import { unknownCredential } from './refusals.ts';

/** What tells a signed link from a token. */
export const linkPrefix = 'fhl_';

const keyBytes = 32;
const linkPattern = /^fhl_([A-Za-z0-9_-]{1,600})\.([A-Za-z0-9_-]{43})$/;

/** Links that are valid by their signature alone: nothing is kept of them. Whoever removes the key's file ends all of them. */
export class LinkSigner implements Links {
  readonly #key: Uint8Array;

  /** The key is made when it is first needed, for nobody but the owner to read. */
  static open(file: string): LinkSigner {
    try {
      writeFileSync(file, randomBytes(keyBytes), { flag: 'wx', mode: 0o600, flush: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const key = readFileSync(file);
    if (key.length === keyBytes) return new LinkSigner(key);
    throw new FrameholdError('internal', `${file} is not a key of ${keyBytes} bytes.`, {
      hint: 'Remove the file: a new one is made, and links that were given out end.',
    });
  }

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  sign({ tenant, name, version, life = 0, expiresAt }: FrameLink): string {
    const fields = [tenant, name, version, expiresAt, ...(life === 0 ? [] : [life])];
    const content = Buffer.from(JSON.stringify(fields)).toString('base64url');
    return `${linkPrefix}${content}.${this.#seal(content).toString('base64url')}`;
  }

  /** Throws unauthenticated. */
  verify(text: string, now: () => number): Identity {
    const [, content = '', seal = ''] = linkPattern.exec(text) ?? [];
    const given = Buffer.from(seal, 'base64url');
    if (given.length !== keyBytes || !timingSafeEqual(this.#seal(content), given)) throw unknownCredential();
    const link = contentOf(content);
    const isCurrent = () => link.expiresAt > now();
    if (!isCurrent())
      throw new FrameholdError(
        'unauthenticated',
        `The link expired at ${new Date(link.expiresAt).toISOString()}.`,
        {
          hint: 'Ask whoever gave it to you for a new one.',
        },
      );
    const { tenant, name, version, life } = link;
    const linked = life === undefined ? { name, version } : { name, version, life };
    return { tenant, name: 'link', scopes: new Set(), link: linked, isCurrent };
  }

  /** The purpose is part of what is signed, so that no other use of the key can ever make a link. */
  #seal(content: string): Buffer {
    return createHmac('sha256', this.#key).update(`framehold link 1\n${content}`).digest();
  }
}

/** Signed by us, and still looked at: a key may be shared with a later version of this program. */
function contentOf(content: string): FrameLink {
  // Links of a first life, as all were once, do not name it.
  const [tenant, name, version, expiresAt, life] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  ) as unknown[];
  if (typeof tenant !== 'string' || !isTenant(tenant) || typeof name !== 'string') throw unknownCredential();
  if (![version, expiresAt, life ?? 0].every(Number.isSafeInteger)) throw unknownCredential();
  const link = { tenant, name, version: version as number, expiresAt: expiresAt as number };
  return life === undefined ? link : { ...link, life: life as number };
}
