import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tagMatches } from '../response/etag.ts';
import { pageType } from '../response/page-type.ts';
import { securityHeaders } from '../response/security-headers.ts';

/** What pages may load and do: everything from this server, nothing inline, and no text becomes a script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

/** The headers of the console's page and assets. `frameAncestors`: origins whose pages may show it in a frame. */
export function consoleHeaders(frameAncestors: readonly string[]): Readonly<Record<string, string>> {
  const { 'x-frame-options': denied, ...rest } = securityHeaders;
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ');
  return {
    ...rest,
    // It knows no list. Browsers that know frame-ancestors ignore it.
    ...(frameAncestors.length === 0 ? { 'x-frame-options': denied } : {}),
    'content-security-policy': [...policy, `frame-ancestors ${ancestors}`].join('; '),
    // A page that opens this one in a window keeps no hold on it.
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** index.html as it is sent at one depth of the path. */
export class ConsolePage {
  readonly bytes: Buffer;
  readonly #headers: Readonly<Record<string, string>>;

  /** `toRoot` leads from the folder of the URL to that of the console: relative, because a proxy may add any path in front. */
  constructor(page: string, toRoot: string) {
    this.bytes = Buffer.from(page.replaceAll('"./assets/', `"${toRoot}assets/`));
    this.#headers = {
      etag: `"${createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22)}"`,
      // It names the assets of this build: an older copy would ask for files that are no longer here.
      'cache-control': 'no-cache',
    };
  }

  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.headers(this.#headers);
    const known = request.headers['if-none-match'];
    if (known !== undefined && tagMatches(known, this.#headers.etag ?? '', true))
      return reply.code(304).send();
    return reply.type(pageType).send(this.bytes);
  }
}
