import type { FastifyInstance } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { HttpContext } from '../context.ts';
import { resource } from './resource.ts';
import { mcpSchema } from './schemas/mcp-schema.ts';

/** `/v1/mcp`: the Model Context Protocol, without sessions and streams. Every message is complete in itself. */
export function mcpRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/mcp', {
    ...(context.mcp.isEnabled ? {} : { refusal: notEnabled }),
    POST: {
      schema: mcpSchema,
      handler: async (request, reply) => {
        const { answerMcp } = await import('../mcp/answer-request.ts');
        return await answerMcp(context, request, reply);
      },
    },
  });
}

function notEnabled(): FrameholdError {
  return new FrameholdError('route_not_found', 'The Model Context Protocol is not enabled on this server.', {
    hint: 'The operator can enable it with mcp.enabled = true.',
  });
}
