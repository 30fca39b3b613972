import { flag, required, text, wholeNumber } from '../../request/parameters.ts';
import { pageHeadersSchema, rowsHandle } from './rows-schema.ts';
import { tableProperties } from './table-schema.ts';

const common = {
  fmt: required(text('fmt', undefined, { enum: ['json'] })),
  limit: wholeNumber(
    'limit',
    'handle mode: rows at most; by default 1000, or http.limit_max if that is lower',
  ),
  quoteLargeNum: flag('quoteLargeNum', '64-bit integers as strings'),
};

const passedOn = (name: string) => text(name, 'query mode: passed on to the external database');

/** With `handle`. */
export const handleParameters = { handle: text('handle', rowsHandle), ...common };

/** With `query`: all of these are passed on as given, and nothing else is. */
export const queryParameters = {
  query: text('query', 'SQL for the external database, forwarded as it is'),
  ...common,
  cols: passedOn('cols'),
  count: passedOn('count'),
  explain: passedOn('explain'),
  nm: passedOn('nm'),
  timings: passedOn('timings'),
};

/** The OpenAPI description of `GET /exec`. */
export const execSchema = {
  operationId: 'exec',
  tags: ['frozen'],
  summary: 'Read a held frame as a JSON table, or forward SQL to the external database',
  description:
    'Give `handle` or `query`, not both. With `handle` the answer has exactly the members query, columns, dataset and count. With `query` the answer is the external database’s own.',
  response: {
    200: {
      description: 'The table',
      headers: {
        ...pageHeadersSchema,
        'Framehold-Ignored-Parameters': { type: 'string', description: 'Parameters that were ignored.' },
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
