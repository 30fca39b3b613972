import type { FastifyRequest } from 'fastify';

/**
 * Whether the path spells what is offered as its route does. The router takes `/%6detrics` for `/metrics`; a proxy that lets callers not have
 * `/metrics` does not. What a route leaves open, such as a name, may be encoded.
 */
export function isPlainPath({ url, routeOptions }: FastifyRequest): boolean {
  const route = routeOptions.url;
  if (route === undefined) return true;
  const end = url.search(/[?#]/);
  const given = pathOf(end === -1 ? url : url.slice(0, end)).split('/');
  for (const [index, segment] of route.split('/').entries()) {
    if (segment.startsWith('*')) return true;
    if (!segment.includes(':') && given[index] !== segment) return false;
  }
  return true;
}

/** A client may write the whole address, as it does for a proxy: `GET http://host/exec HTTP/1.1`. */
function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3);
  return start === -1 ? '/' : target.slice(start);
}
