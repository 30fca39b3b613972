import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../context.ts';
import type { DescribedRoutes } from '../described-routes.ts';
import { callerOf } from '../request/caller.ts';
import { resource } from './resource.ts';

const plainAnswer = (operationId: string, summary: string, description: string) => ({
  operationId,
  tags: ['operations'],
  summary,
  response: { 200: { description, content: { 'text/plain': { schema: { type: 'string' } } } } },
});

/** Probes may add any parameters. */
const probe = { isProbe: true, saysTime: false, unknownParameters: 'ignored' } as const;

/** For operating the server: liveness, readiness, metrics. */
export function operationsRoutes(
  app: FastifyInstance,
  context: HttpContext,
  described: DescribedRoutes,
): void {
  resource(app, '/ping', {
    traits: { ...probe, needsCredential: false, isForAllSites: true },
    GET: {
      schema: { ...plainAnswer('ping', 'Health check, frozen', 'The text ok'), tags: ['frozen'] },
      handler: (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok'),
    },
  });
  resource(app, '/healthz', {
    traits: { ...probe, needsCredential: false },
    GET: {
      schema: plainAnswer('healthz', 'The process is alive', 'The text ok'),
      handler: (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok'),
    },
  });
  resource(app, '/readyz', {
    traits: { ...probe, needsCredential: false },
    GET: {
      schema: plainAnswer('readyz', 'The server can serve: 503 while it starts or stops', 'The text ready'),
      handler: async (_request, reply) => {
        await context.ready();
        return reply.type('text/plain; charset=utf-8').send('ready');
      },
    },
  });
  resource(app, '/metrics', {
    traits: probe,
    GET: {
      schema: plainAnswer('metrics', 'Metrics for Prometheus', 'The text format of Prometheus'),
      handler: async (request, reply) => {
        context.access.check(callerOf(request), 'metrics.read');
        const { contentType, text } = await context.metrics();
        return reply.header('content-type', contentType).send(text);
      },
    },
  });
  resource(app, '/v1/openapi.json', {
    GET: {
      schema: {
        operationId: 'openapi',
        tags: ['operations'],
        summary: 'This description',
        response: {
          200: {
            description: 'OpenAPI 3.1',
            content: { 'application/json': { schema: { type: 'object' } } },
          },
        },
      },
      handler: async (request, reply) => {
        context.access.check(callerOf(request), 'server.describe');
        return reply.type('application/json; charset=utf-8').send(await described.asOpenApi());
      },
    },
  });
}
