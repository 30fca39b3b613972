import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';

/** What the generated OpenAPI document contains besides the routes. */
export function openApiDocument(publicUrl: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Framehold',
        version: '1',
        description:
          'Holds data frames under handles. Every error is application/problem+json (application/json on /exec).',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      ...(publicUrl === '' ? {} : { servers: [{ url: publicUrl }] }),
    },
  };
}
