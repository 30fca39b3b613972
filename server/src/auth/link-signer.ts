import { createHmac, timingSafeEqual } from 'node:crypto';
import { LruCache } from '../base/lru-cache.ts';
import type { Identity } from '../model/caller.ts';
import { FrameholdError } from '../model/errors.ts';
import { isTenant } from '../model/tenant.ts';
import type { LinkKey, LinkKeys } from '../ports/link-keys.ts';
import type { FrameLink, Links } from '../ports/links.ts';

/** What tells a signed link from a token. */
export const linkPrefix = 'fhl_';

/** Of HMAC-SHA-256. */
const sealBytes = 32;
const linkPattern = /^fhl_(?:([a-z0-9]{1,32})\.)?([A-Za-z0-9_-]{1,600})\.([A-Za-z0-9_-]{43})$/;

/** Requests wait for seconds: long before so many other links are revoked, each of them has been continued or refused. */
const revokedMax = 10_000;

/** Signs links and reads them. Removing a key ends the links that were signed with it; the catalog knows which ones were revoked. */
export class LinkSigner implements Links {
  readonly #keys: LinkKeys;
  /** Those of this process, the latest: for requests that wait. Those that come later ask the catalog. */
  readonly #revoked = new LruCache<true>({ entriesMax: revokedMax });

  constructor(keys: LinkKeys) {
    this.#keys = keys;
  }

  sign({ tenant, name, version, incarnation = 0, expiresAt, id }: FrameLink): string {
    const fields = [tenant, name, version, expiresAt, incarnation, ...(id === undefined ? [] : [id])];
    const content = Buffer.from(JSON.stringify(fields)).toString('base64url');
    const key = this.#keys.newest;
    const named = key.id === null ? '' : `${key.id}.`;
    return `${linkPrefix}${named}${content}.${seal(key, content).toString('base64url')}`;
  }

  revoked(id: string): void {
    this.#revoked.set(id, true);
  }

  /** A secret for another purpose, the same in every process. */
  secretFor(purpose: string): Buffer {
    return createHmac('sha256', this.#keys.newest.bytes).update(`secret for ${purpose}`).digest();
  }

  /** What the link says, if this server has signed it; else null. It may have expired. */
  read(text: string): FrameLink | null {
    const [, id, content = '', given = ''] = linkPattern.exec(text) ?? [];
    const key = this.#keys.find(id ?? null);
    const shown = Buffer.from(given, 'base64url');
    if (key === null || shown.length !== sealBytes || !timingSafeEqual(seal(key, content), shown))
      return null;
    return contentOf(content);
  }

  /** The holder of a link. Throws unauthenticated if it has expired. */
  holder(link: FrameLink, now: () => number): Identity {
    const isCurrent = () => link.expiresAt > now() && !(link.id !== undefined && this.#revoked.has(link.id));
    if (link.expiresAt <= now())
      throw new FrameholdError(
        'unauthenticated',
        `The link expired at ${new Date(link.expiresAt).toISOString()}.`,
        {
          hint: 'Ask the person who sent it to you for a new one.',
        },
      );
    const { tenant, expiresAt: _, ...linked } = link;
    return { tenant, name: 'link', scopes: new Set(), link: linked, isCurrent };
  }
}

/** The purpose is part of what is signed, so that no other use of the key can ever make a link. */
function seal({ bytes }: LinkKey, content: string): Buffer {
  return createHmac('sha256', bytes).update(`framehold link 1\n${content}`).digest();
}

/** Signed by us, and still looked at: a key may be shared with a later version of this program. */
function contentOf(content: string): FrameLink | null {
  // Older links end before the incarnation, or before the id.
  const [tenant, name, version, expiresAt, incarnation = 0, id] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  ) as unknown[];
  if (typeof tenant !== 'string' || !isTenant(tenant) || typeof name !== 'string') return null;
  if (![version, expiresAt, incarnation].every(Number.isSafeInteger)) return null;
  if (id !== undefined && typeof id !== 'string') return null;
  const link = { tenant, name, version: version as number, expiresAt: expiresAt as number };
  return {
    ...link,
    ...(incarnation === 0 ? {} : { incarnation: incarnation as number }),
    ...(id === undefined ? {} : { id }),
  };
}
