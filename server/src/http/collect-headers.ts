import type { FastifyReply } from 'fastify';

/** What was set on the answer so far, for those who write its head themselves. */
export function collectHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
