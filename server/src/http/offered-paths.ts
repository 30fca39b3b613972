import type { FastifyReply, FastifyRequest } from 'fastify';
import router from 'find-my-way';
import type { FrameholdError } from '../model/errors.ts';
import type { RouteTraits } from './route-traits.ts';

/** Long enough for a name of 128 characters, each percent-encoded, with a version. Fastify's own limit is 100. */
export const parameterLengthMax = 512;

export interface OfferedPath {
  readonly traits: RouteTraits;
  /** The answer to a method that it does not have. */
  readonly refuse: (reply: FastifyReply) => FrameholdError;
}

/**
 * All paths, whatever their methods. To register a route for each of the thirty methods that a path does not have would take
 * longer than everything else that the listener does to start. This is Fastify's own router, with the same options.
 */
export class OfferedPaths {
  readonly #paths = router({ maxParamLength: parameterLengthMax });

  add(url: string, offered: OfferedPath): void {
    this.#paths.on('GET', url, () => {}, offered);
  }

  /** null if the path itself is unknown. Only for requests that have matched no route. */
  find(request: FastifyRequest): OfferedPath | null {
    if (!request.is404) return null;
    return (this.#paths.find('GET', request.url)?.store as OfferedPath | undefined) ?? null;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly offeredPaths: OfferedPaths;
  }
}
