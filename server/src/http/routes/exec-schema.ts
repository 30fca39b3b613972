import { pageHeadersSchema } from './rows-schema.ts';
import { tableProperties } from './table-schema.ts';

const common = {
  fmt: { type: 'string', enum: ['json'] },
  limit: {
    type: 'string',
    pattern: '^\\d{1,15}$',
    description: 'handle mode: rows at most; by default 1000, or http.limit_max if that is lower',
  },
  quoteLargeNum: { type: 'string', enum: ['true', 'false'], description: '64-bit integers as strings' },
} as const;

const passedOn = { type: 'string', description: 'query mode: passed on to the external database' } as const;

/** With `handle`. */
export const handleParameters = {
  handle: { type: 'string', description: 'name, or name@version' },
  ...common,
} as const;

/** With `query`: all of these are passed on as given, and nothing else is. */
export const queryParameters = {
  query: { type: 'string', description: 'SQL for the external database, forwarded as it is' },
  ...common,
  cols: passedOn,
  count: passedOn,
  explain: passedOn,
  nm: passedOn,
  timings: passedOn,
} as const;

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
    properties: { ...handleParameters, ...queryParameters },
  },
  response: {
    200: {
      description: 'The table',
      headers: {
        ...pageHeadersSchema,
        'Framehold-Ignored-Parameters': { type: 'string', description: 'Parameters that mean nothing here.' },
      },
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
