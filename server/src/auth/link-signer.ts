import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Identity } from '../frames/access/caller.ts';
import { FrameholdError } from '../frames/errors.ts';
import type { LinkKey, LinkKeys } from '../frames/ports/link-keys.ts';
import type { FrameLink, Links } from '../frames/ports/links.ts';
import { isTenant } from '../frames/tenants/tenant.ts';
import { unknownCredential } from './refusals.ts';

/** What tells a signed link from a token. */
export const linkPrefix = 'fhl_';

/** Of HMAC-SHA-256. */
const sealBytes = 32;
const linkPattern = /^fhl_(?:([a-z0-9]{1,32})\.)?([A-Za-z0-9_-]{1,600})\.([A-Za-z0-9_-]{43})$/;

/** Links that are valid by their signature alone: nothing is kept of them. Removing a key ends the links that were signed with it. */
export class LinkSigner implements Links {
  readonly #keys: LinkKeys;

  constructor(keys: LinkKeys) {
    this.#keys = keys;
  }

  sign({ tenant, name, version, life = 0, expiresAt }: FrameLink): string {
    const fields = [tenant, name, version, expiresAt, ...(life === 0 ? [] : [life])];
    const content = Buffer.from(JSON.stringify(fields)).toString('base64url');
    const key = this.#keys.newest;
    const named = key.id === null ? '' : `${key.id}.`;
    return `${linkPrefix}${named}${content}.${seal(key, content).toString('base64url')}`;
  }

  /** Throws unauthenticated. */
  verify(text: string, now: () => number): Identity {
    const [, id, content = '', given = ''] = linkPattern.exec(text) ?? [];
    const key = this.#keys.find(id ?? null);
    const shown = Buffer.from(given, 'base64url');
    if (key === null || shown.length !== sealBytes || !timingSafeEqual(seal(key, content), shown))
      throw unknownCredential();
    const link = contentOf(content);
    const isCurrent = () => link.expiresAt > now();
    if (!isCurrent())
      throw new FrameholdError(
        'unauthenticated',
        `The link expired at ${new Date(link.expiresAt).toISOString()}.`,
        {
          hint: 'Ask the person who gave it to you for a new one.',
        },
      );
    const { tenant, name, version, life } = link;
    const linked = life === undefined ? { name, version } : { name, version, life };
    return { tenant, name: 'link', scopes: new Set(), link: linked, isCurrent };
  }
}

/** The purpose is part of what is signed, so that no other use of the key can ever make a link. */
function seal({ bytes }: LinkKey, content: string): Buffer {
  return createHmac('sha256', bytes).update(`framehold link 1\n${content}`).digest();
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
