import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { entryRefused } from '../../frames/access/audit.ts';
import { unidentifiedCaller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Observe } from '../../ports/observation.ts';
import { pageOnly } from '../request/page-only.ts';
import { type Navigation, traitsOf } from '../route-traits.ts';
import type { HostNames } from './host-names.ts';

export interface BrowserRules {
  readonly hosts: HostNames;
  /** Origins of allowed pages, as browsers write them: `https://app.example.com`. */
  readonly corsOrigins: ReadonlySet<string>;
  /** Origins whose pages may show the console in a frame. */
  readonly frameAncestors: readonly string[];
  /** The origin of the public URL; null if none is configured. A proxy may send another Host than the one that pages have. */
  readonly publicOrigin: string | null;
}

const allowedMethods = 'GET, HEAD, PUT, POST, PATCH, DELETE';
/** What our routes read of a request, without the headers that browsers always allow. */
export const allowedHeaders: readonly string[] = [
  'authorization',
  'content-type',
  'content-encoding',
  'content-digest',
  'framehold-engine',
  'framehold-query-id',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-range',
  'last-event-id',
  'mcp-protocol-version',
  'range',
  'repr-digest',
  'x-request-id',
];
/** Headers of answers that no route declares, because any answer may have them. */
const exposedEverywhere = ['retry-after', 'x-request-id'];
const allowedText = allowedHeaders.join(', ');
/** How long a browser need not ask again; the list changes with a restart. */
const preflightSeconds = 600;

/**
 * Refuses requests that a browser sends for a page of another site that is not allowed; programs send none of these headers. A page that is
 * allowed may read the headers that the routes declare: without this it would see only the type and the length of an answer.
 */
export function addBrowserHook(
  app: FastifyInstance,
  rules: BrowserRules,
  observe: Observe,
  hasOpenLink: (request: FastifyRequest) => Promise<boolean> = async () => false,
): void {
  const exposed = new Set(exposedEverywhere);
  let exposedText = '';
  app.addHook('onRoute', ({ schema }) => {
    for (const name of responseHeaders(schema)) exposed.add(name);
  });
  app.addHook('onReady', (done) => {
    exposedText = [...exposed].sort().join(', ');
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, isForAllSites, navigation } = traitsOf(request);
    // Not on the raw answer: if it already has headers, Node is much slower to set the rest.
    reply.headers(headers);
    if (isForAllSites) return done();
    const refusal = refusalOf(rules, request);
    if (refusal !== null) {
      const refuse = () => {
        logRefusal(observe, request, refusal);
        done(refusal);
      };
      if (!mayNavigate(rules, request, navigation)) return refuse();
      if (navigation === 'page') return done();
      return void hasOpenLink(request).then((isOpen) => {
        if (!isOpen) return refuse();
        pageOnly.add(request.raw);
        done();
      }, done);
    }
    const { origin } = request.headers;
    if (origin === undefined || !rules.corsOrigins.has(origin)) return done();
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedText });
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) return done();
    void reply
      .code(204)
      .headers({
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedText,
        'access-control-max-age': preflightSeconds,
        vary: 'origin',
      })
      .send();
  });
}

/** In lower case, as HTTP clients compare them. */
function responseHeaders(schema: FastifySchema | undefined): string[] {
  const responses = Object.values((schema?.response ?? {}) as Record<string, { readonly headers?: object }>);
  return responses.flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase()));
}

/**
 * Whether a browser that shows another site's page is about to show this answer instead, in the same window or a new one, or in a frame if
 * the site may be one that is allowed to have it: its policy decides that in the browser. The page that asked sees nothing of the answer.
 */
function mayNavigate(
  { hosts, frameAncestors }: BrowserRules,
  { method, headers }: FastifyRequest,
  navigation: Navigation,
): boolean {
  if (navigation === 'refused' || method !== 'GET' || headers.origin !== undefined) return false;
  if (!hosts.allows(headers.host) || headers['sec-fetch-mode'] !== 'navigate') return false;
  const destination = headers['sec-fetch-dest'];
  return destination === 'document' || (destination === 'iframe' && frameAncestors.length > 0);
}

function refusalOf(
  { hosts, corsOrigins, publicOrigin }: BrowserRules,
  { headers }: FastifyRequest,
): FrameholdError | null {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (!hosts.allows(host))
    return new FrameholdError(
      'origin_refused',
      `This server is not known under the name ${JSON.stringify(host?.slice(0, 100))}.`,
      {
        hint: 'Add the name to http.allowed_hosts, or set public_url, if it belongs to this server.',
      },
    );
  if (origin !== undefined && (corsOrigins.has(origin) || origin === publicOrigin || isOwn(origin, host)))
    return null;
  if (origin === undefined && site !== 'cross-site') return null;
  const page = origin === undefined ? 'another site' : JSON.stringify(origin.slice(0, 100));
  return new FrameholdError('origin_refused', `Pages of ${page} may not send requests to this server.`, {
    hint: 'To allow it, add its origin to http.cors_origins.',
  });
}

/** A page that this server has sent itself. */
function isOwn(origin: string, host: string | undefined): boolean {
  const [, rest] = /^https?:\/\/(.+)$/.exec(origin) ?? [];
  return rest !== undefined && host !== undefined && rest.toLowerCase() === host.toLowerCase();
}

function logRefusal(observe: Observe, request: FastifyRequest, error: FrameholdError): void {
  const visit = { remote: request.ip ?? '', requestId: request.id };
  observe(entryRefused(visit, error, unidentifiedCaller.name));
}
