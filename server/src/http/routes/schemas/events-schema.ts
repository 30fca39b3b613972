import { text } from '../../request/parameters.ts';

export const eventsParameters = {
  after: text('after', 'The id of the last event that was received; the header Last-Event-ID comes first.'),
};

export const eventsSchema = {
  operationId: 'followEvents',
  tags: ['events'],
  summary: 'Follow what happens to the frames and statements of the tenant, as server-sent events',
  headers: {
    type: 'object',
    properties: {
      'Last-Event-ID': { type: 'string', description: 'The id of the last event that was received.' },
    },
  },
  response: {
    200: {
      description: 'Events as they happen; it does not end by itself',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
  },
} as const;
