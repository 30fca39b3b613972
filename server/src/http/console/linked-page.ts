import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersPage } from '../../encode/media-types.ts';
import type { FrameholdError } from '../../model/errors.ts';
import { type Handle, parseHandle } from '../../model/handle.ts';
import type { Authenticator } from '../../ports/authenticator.ts';
import type { HttpContext } from '../context.ts';
import { pageOnly } from '../request/page-only.ts';
import { queryOf } from '../request/raw-query.ts';
import type { RefusalPage } from '../route-traits.ts';
import { ConsolePage, consoleHeaders } from './console-page.ts';
import { notBuilt } from './not-built.ts';

/** From /v1/frames/{handle}/rows to where the console is. */
const toRoot = '../../../';
/** The same address has rows for others. */
const vary = 'accept, sec-fetch-site';

/** The console at the address of a shared link: a person sees the frame, where a program reads its rows. */
export class LinkedPage {
  readonly #authenticator: Authenticator;
  readonly #page: ConsolePage | null;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ console: files, browsers, authenticator }: HttpContext) {
    this.#authenticator = authenticator;
    this.#page = files === null ? null : new ConsolePage(files.page, toRoot);
    this.#headers = consoleHeaders(browsers.frameAncestors);
  }

  mayBeWanted(request: FastifyRequest): boolean {
    return pageOnly.has(request.raw) || (this.#page !== null && isOpenedByPerson(request));
  }

  /** The page says that the link is not in force. A program gets the problem itself. */
  refusal({ kind }: FrameholdError, request: FastifyRequest): RefusalPage | null {
    const isOfLink = kind === 'link_revoked' || kind === 'unauthenticated';
    if (!isOfLink || this.#page === null || !isOpenedByPerson(request)) return null;
    return { bytes: this.#page.bytes, headers: { ...this.#headers, vary } };
  }

  /** Sends the page; false if the link of the URL does not open this frame. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (!pageOnly.has(request.raw) && !(await hasOpenLink(this.#authenticator, request))) return false;
    if (this.#page === null) throw notBuilt();
    reply.removeHeader('x-frame-options').headers(this.#headers);
    reply.header('vary', vary);
    await this.#page.send(request, reply);
    return true;
  }
}

/** A browser asks, as a person has opened the address of a link. `fmt` asks for rows, whoever sends it. */
function isOpenedByPerson(request: FastifyRequest): boolean {
  const query = queryOf(request);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && query.has('link') && !query.has('fmt') && prefersPage(request.headers.accept);
}

/** Whether the URL has a link in force, and the link is to the frame of its path. */
export async function hasOpenLink(
  authenticator: Pick<Authenticator, 'linked'>,
  request: FastifyRequest,
): Promise<boolean> {
  const { handle } = request.params as { handle?: string };
  try {
    const link = queryOf(request).value('link');
    if (handle === undefined || link === undefined) return false;
    const linked = await authenticator.linked(link);
    return linked !== null && isSame(parseHandle(handle), linked);
  } catch {
    // A path or a parameter that cannot be read opens nothing.
    return false;
  }
}

function isSame(
  { tenant, name, version }: Handle,
  linked: Required<Pick<Handle, 'tenant' | 'name' | 'version'>>,
): boolean {
  return (
    (tenant === undefined || tenant === linked.tenant) && name === linked.name && version === linked.version
  );
}
