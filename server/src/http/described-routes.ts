import type { FastifyInstance, RouteOptions } from 'fastify';
import fastify from 'fastify';

/** What the routes of a listener say of themselves. It is made into a document when somebody asks for it: few servers are ever asked. */
export class DescribedRoutes {
  readonly #publicUrl: string;
  readonly #routes: Pick<RouteOptions, 'method' | 'url' | 'schema'>[] = [];
  #document: Promise<string> | null = null;

  /** Before the routes are registered. */
  constructor(app: FastifyInstance, publicUrl: string) {
    this.#publicUrl = publicUrl;
    app.addHook('onRoute', ({ method, url, schema }) => {
      // GET describes it.
      if (method !== 'HEAD') this.#routes.push({ method, url, ...(schema === undefined ? {} : { schema }) });
    });
  }

  asOpenApi(): Promise<string> {
    this.#document ??= this.#describe();
    return this.#document;
  }

  /** The library collects what it describes while routes are registered: they are registered once more, in an application that answers nobody. */
  async #describe(): Promise<string> {
    const { default: swagger } = await import('@fastify/swagger');
    const app = fastify({ exposeHeadRoutes: false });
    app.setValidatorCompiler(() => () => true);
    app.setSerializerCompiler(() => JSON.stringify);
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Framehold',
          version: '1',
          description:
            'Holds data frames under handles. Every error is application/problem+json (application/json on /exec).',
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        ...(this.#publicUrl === '' ? {} : { servers: [{ url: this.#publicUrl }] }),
      },
    });
    await app.register(async (routes) => {
      for (const route of this.#routes) routes.route({ ...route, handler: () => {} });
    });
    await app.ready();
    return JSON.stringify(app.swagger());
  }
}
