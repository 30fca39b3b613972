import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../context.ts';

/**
 * Where callers find this server, for addresses that are passed on: the public URL if one is configured, else what this caller has used. Empty
 * if that is no name of this server, or none at all: then addresses are paths.
 */
export function baseUrlOf(
  { publicUrl, browsers }: Pick<HttpContext, 'publicUrl' | 'browsers'>,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string {
  if (publicUrl !== '') return publicUrl;
  // With http.trust_proxy both are what the proxy says, and no hook has seen that.
  return host !== '' && browsers.hosts.allows(host) ? `${protocol}://${host}` : '';
}
