import { tableProperties } from './table-schema.ts';

/** The OpenAPI description of `GET /exec`. */
export const execSchema = {
  operationId: 'exec',
  tags: ['frozen'],
  summary: 'Read a held frame as a JSON table, or forward SQL to the external database',
  description:
    'Give `handle` or `query`, not both. With `handle` the answer has exactly the members query, columns, dataset and count. With `query` the answer is the external database’s own.',
  querystring: {
    type: 'object',
    required: ['fmt'],
    properties: {
      handle: { type: 'string', description: 'name, or name@version' },
      query: { type: 'string', description: 'SQL for the external database, forwarded as it is' },
      fmt: { type: 'string', enum: ['json'] },
      limit: {
        type: 'string',
        pattern: '^\\d{1,15}$',
        description: 'handle mode: rows at most, 1000 where it is not given',
      },
      quoteLargeNum: { type: 'string', enum: ['true', 'false'], description: '64-bit integers as strings' },
    },
  },
  response: {
    200: {
      description: 'The table',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['query', 'columns', 'dataset', 'count'],
            properties: tableProperties,
          },
        },
      },
    },
  },
} as const;
