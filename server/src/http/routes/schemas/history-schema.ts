import { engineNames } from '../../../model/engine-name.ts';
import { text } from '../../request/parameters.ts';
import { pageParameters } from './frames-schema.ts';

/** Longer than anything that people type to find a statement. */
export const searchMax = 200;

export const historyParameters = {
  ...pageParameters,
  search: text('search', 'Only statements that contain this text, whatever the case of ASCII letters.', {
    maxLength: searchMax,
  }),
};

const entry = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Of this entry.' },
    queryId: { type: 'string' },
    sql: { type: 'string', description: 'The first 16,384 characters; longer ones end with an ellipsis.' },
    engine: { type: 'string', enum: engineNames, description: 'What ran it.' },
    state: { type: 'string', enum: ['done', 'failed', 'cancelled'] },
    error: {
      type: ['object', 'null'],
      description: 'Why it failed.',
      properties: { code: { type: 'string' }, detail: { type: 'string' } },
    },
    rows: { type: 'integer', description: 'Rows returned or put.' },
    startedAt: { type: 'string', format: 'date-time' },
    durationMs: { type: 'integer' },
  },
} as const;

export const historySchema = {
  operationId: 'listHistory',
  tags: ['sql'],
  summary: 'List the statements that the caller has run, newest first',
  response: {
    200: {
      description: 'A page',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              history: { type: 'array', items: entry },
              next: { type: ['string', 'null'], description: 'The cursor of the next page.' },
            },
          },
        },
      },
    },
  },
} as const;

export const clearHistorySchema = {
  operationId: 'clearHistory',
  tags: ['sql'],
  summary: 'Remove all statements from the history of the caller',
  response: { 204: { description: 'They are removed', type: 'null' } },
} as const;
