import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { ConsoleAsset } from '../console/console-files.ts';
import { ConsolePage, consoleHeaders } from '../console/console-page.ts';
import { notBuilt } from '../console/not-built.ts';
import type { HttpContext } from '../context.ts';
import { chooseStored } from '../response/content-coding.ts';
import { resource } from './resource.ts';
import { assetSchema, consoleSchema } from './schemas/console-schema.ts';

/** The console: a static page that reads everything through the other routes, with the credential of its user. */
export function consoleRoutes(app: FastifyInstance, context: HttpContext): void {
  const { console: files, browsers, subPath } = context;
  const headers = consoleHeaders(browsers.frameAncestors);
  const page = files === null ? null : new ConsolePage(files.page, './');
  resource(app, '/', {
    // Links to it may have any parameters of those who count visits.
    traits: { needsCredential: false, navigation: 'page', unknownParameters: 'ignored', headers },
    GET: {
      schema: consoleSchema,
      handler: (request, reply) => {
        if (page === null) throw notBuilt();
        const withSlash = subPath.slashAdded(request.originalUrl);
        if (withSlash !== null) return reply.redirect(withSlash, 307);
        return page.send(request, reply);
      },
    },
  });
  resource(app, '/assets/:file', {
    traits: { needsCredential: false, headers },
    GET: {
      schema: assetSchema,
      handler: (request, reply) => {
        const { file } = request.params as { file: string };
        const asset = files?.assets.get(file);
        if (asset === undefined) throw noAsset();
        return sendAsset(context, asset, request, reply);
      },
    },
  });
}

/** The name of an asset has a hash of its content: what a browser has is never asked for again. */
function sendAsset(
  { compression }: HttpContext,
  { mediaType, plain, stored }: ConsoleAsset,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const chosen = compression ? chooseStored(request.headers['accept-encoding'], stored) : null;
  reply.headers({
    'content-type': mediaType,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(chosen === null ? {} : { 'content-encoding': chosen.coding }),
  });
  return reply.send(chosen?.bytes ?? plain);
}

function noAsset(): FrameholdError {
  return new FrameholdError('route_not_found', 'The console has no such file.', {
    hint: 'Reload the console: the server may have been updated.',
  });
}
