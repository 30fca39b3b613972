const savedQuery = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    sql: { type: 'string' },
    savedAt: { type: 'string', format: 'date-time' },
    savedBy: { type: 'string', description: 'The caller who saved it.' },
  },
} as const;

const params = {
  type: 'object',
  properties: {
    name: { type: 'string', description: '1 to 128 characters, percent-encoded.' },
  },
} as const;

export const savedQueriesSchema = {
  operationId: 'listSavedQueries',
  tags: ['sql'],
  summary: 'List the saved queries of the tenant by name',
  response: {
    200: {
      description: 'All of them',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { queries: { type: 'array', items: savedQuery } } },
        },
      },
    },
  },
} as const;

export const saveQuerySchema = {
  operationId: 'saveQuery',
  tags: ['sql'],
  summary: 'Save a statement under a name, or replace the one of this name. It is neither checked nor run',
  consumes: ['application/json'],
  params,
  body: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['sql'],
          additionalProperties: false,
          properties: { sql: { type: 'string', minLength: 1 } },
        },
      },
    },
  },
  response: {
    200: { description: 'It was replaced', content: { 'application/json': { schema: savedQuery } } },
    201: { description: 'It was created', content: { 'application/json': { schema: savedQuery } } },
  },
} as const;

export const removeQuerySchema = {
  operationId: 'removeSavedQuery',
  tags: ['sql'],
  summary: 'Remove a saved query',
  params,
  response: { 204: { description: 'It is removed', type: 'null' } },
} as const;
