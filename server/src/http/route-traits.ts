import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { FrameholdError } from '../model/errors.ts';
import { type ProblemForm, usualProblem } from './response/problem.ts';
import { securityHeaders } from './response/security-headers.ts';

/** What hooks and logs need to know about a route. A route declares what differs from the usual. */
export interface RouteTraits {
  /** The label of its metrics and log lines. */
  readonly label: string;
  /** false: no credential is needed, because the answer contains no data of any tenant. */
  readonly needsCredential: boolean;
  /** Whether pages of any site may send requests. */
  readonly isForAllSites: boolean;
  /** What a browser gets that follows a link in a page of another site. */
  readonly navigation: Navigation;
  /** Machines send these every few seconds: a log line for each would bury the rest. */
  readonly isProbe: boolean;
  /** Whether answers have the header `Server-Timing`. Answers that are frozen have none, and those to machines need none. */
  readonly saysTime: boolean;
  /** `rejected`: a typing error must not be ignored. */
  readonly unknownParameters: 'rejected' | 'ignored';
  readonly problem: ProblemForm;
  /** The page that tells a person of an error, in place of the problem; null for every other caller. */
  readonly refusalPage: (error: FrameholdError, request: FastifyRequest) => RefusalPage | null;
  /** On each answer. A page that runs scripts needs its own policy. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A refusal; the console's page; that page, if the URL has a valid link. Never anything else: the page has no data and changes nothing. */
export type Navigation = 'refused' | 'page' | 'linked-page';

export interface RefusalPage {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export const usualTraits = {
  needsCredential: true,
  isForAllSites: false,
  navigation: 'refused',
  isProbe: false,
  saysTime: true,
  unknownParameters: 'rejected',
  problem: usualProblem,
  refusalPage: () => null,
  headers: securityHeaders,
} as const satisfies Omit<RouteTraits, 'label'>;

/** Of requests that match no route. */
export const unrouted: RouteTraits = { ...usualTraits, label: 'none' };

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly traits?: RouteTraits;
  }
}

const traitsKey = Symbol('the traits of the matched route');

type Routed = IncomingMessage & { [traitsKey]?: RouteTraits };

/** Looked up once: Fastify makes a new object whenever it is asked for the route. */
export function noteTraits(request: FastifyRequest): void {
  const { traits } = request.routeOptions.config;
  (request.raw as Routed)[traitsKey] =
    traits ?? request.server.offeredPaths.find(request)?.traits ?? unrouted;
}

/** Also for requests that Fastify refuses before it looks for a route. */
export function traitsOf(request: FastifyRequest): RouteTraits {
  return (request.raw as Routed)[traitsKey] ?? unrouted;
}
