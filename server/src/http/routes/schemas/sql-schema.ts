import { engineNames } from '../../../model/engine-name.ts';
import { flag, required, text } from '../../request/parameters.ts';
import { placeProperties } from '../../response/problem.ts';
import { manifest } from './frames-schema.ts';
import { rowsContent, rowsParameters } from './rows-schema.ts';
import { tableProperties } from './table-schema.ts';

/** Ids of queries that callers choose. */
export const queryIdPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const idSchema = {
  type: 'string',
  pattern: queryIdPattern.source,
  description: 'The id of the query, chosen by the caller.',
} as const;
const ttlSchema = {
  type: ['string', 'integer'],
  description: 'Time to live: seconds, or with a unit (30d).',
};
const engineSchema = {
  type: 'string',
  enum: engineNames,
  description: 'What runs the statement. Default: duckdb. The header Framehold-Engine does the same.',
} as const;
export const intoModes = ['create', 'replace', 'append'] as const;
const modeSchema = { type: 'string', enum: intoModes } as const;

const { fmt, limit } = rowsParameters;
const answerParameters = {
  fmt,
  limit,
  quoteLargeNum: flag('quoteLargeNum', '64-bit integers as strings.'),
  id: text('id', idSchema.description, { pattern: idSchema.pattern }),
};

const values = 'Values for the parameters: a JSON list or object.';

export const readSqlParameters = {
  query: required(text('query', 'One SQL statement.')),
  parameters: text('parameters', values),
  engine: text('engine', engineSchema.description, { enum: engineNames }),
  ...answerParameters,
};

/** Only if the body is the text of the statement alone: a JSON body has them as members. */
export const parametersBesideText = {
  parameters: text('parameters', `Not with a JSON body. ${values}`),
  engine: text('engine', `Not with a JSON body. ${engineSchema.description}`, { enum: engineNames }),
  into: text('into', 'Not with a JSON body. The name under which the rows are held.'),
  mode: text('mode', 'Not with a JSON body. Of into.', { enum: intoModes }),
  ttl: text('ttl', 'Not with a JSON body. Of into.'),
};
export const postSqlParameters = { ...answerParameters, ...parametersBesideText };

export const intoMembers = { name: { type: ['string', 'null'] }, mode: modeSchema, ttl: ttlSchema } as const;
/** The JSON body. */
export const bodyMembers = {
  sql: { type: 'string', description: 'One SQL statement.' },
  parameters: {
    type: ['array', 'object'],
    description: 'A list for $1, $2 …, an object for $name.',
  },
  engine: engineSchema,
  into: {
    type: ['string', 'object'],
    description: 'Hold the rows as a frame instead of answering with them: a name, or an object.',
    properties: intoMembers,
  },
  limit: { type: 'integer', minimum: 0 },
  quoteLargeNum: { type: 'boolean' },
  id: idSchema,
  history: { type: 'boolean', description: 'false: the statement is not kept in the history.' },
} as const;

const table = {
  type: 'object',
  properties: tableProperties,
} as const;

const changed = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    rows: { type: 'integer', description: 'Rows put or appended.' },
    frame: {
      ...manifest,
      type: ['object', 'null'],
      description: 'The manifest of the version that was made.',
    },
  },
} as const;

const rowsAnswer = (description: string, json: unknown) => ({
  description,
  headers: {
    'Framehold-Query-Id': { type: 'string' },
    'Framehold-Sources': { type: 'string', description: 'name@version of every frame that was read.' },
    'Server-Timing': { type: 'string' },
  },
  content: rowsContent(json),
});

export const readSqlSchema = {
  operationId: 'readSql',
  tags: ['sql'],
  summary: 'Run a statement that only reads',
  response: { 200: rowsAnswer('The rows', table) },
} as const;

export const postSqlSchema = {
  operationId: 'runSql',
  tags: ['sql'],
  summary: 'Run a statement over held frames',
  description: 'Members of the JSON body are in the URL if the body is the text of the statement alone.',
  consumes: ['application/json', 'application/sql', 'text/plain'],
  body: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['sql'],
          additionalProperties: false,
          properties: bodyMembers,
        },
      },
      'application/sql': { schema: { type: 'string' } },
      'text/plain': { schema: { type: 'string' } },
    },
  },
  response: {
    200: rowsAnswer('The rows, or what was changed if no version was made', { anyOf: [table, changed] }),
    201: {
      description: 'A version was made',
      headers: { Location: { type: 'string' } },
      content: { 'application/json': { schema: changed } },
    },
  },
} as const;

const queryProperties = {
  id: { type: 'string' },
  tenant: { type: 'string' },
  engine: { type: 'string', enum: engineNames, description: 'What runs it, while it waits or runs.' },
  state: { type: 'string', enum: ['waiting', 'running'] },
  startedAt: { type: 'string', format: 'date-time' },
  elapsedMs: { type: 'integer', description: 'Since it was sent, while it waits or runs.' },
  progress: {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description:
      'How much of the work is done, as the engine estimates it. null while it waits, in its first moments, and if the engine cannot tell.',
  },
  query: { type: 'string', description: 'Its first 1000 characters. Not for an operator.' },
  rows: { type: 'integer', description: 'Rows made so far. Not for an operator.' },
} as const;

export const queryParameters = {
  tenant: text('tenant', 'Whose it is, for an operator: tenants may choose the same id.'),
};

export const listQueriesSchema = {
  operationId: 'listQueries',
  tags: ['sql'],
  summary:
    'List the statements of the tenant that wait or run, oldest first; an operator sees those of all tenants',
  response: {
    200: {
      description: 'The statements',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              queries: {
                type: 'array',
                items: { type: 'object', properties: queryProperties },
              },
            },
          },
        },
      },
    },
  },
} as const;

export const cancelQuerySchema = {
  operationId: 'cancelQuery',
  tags: ['sql'],
  summary: 'Stop a statement',
  params: { type: 'object', properties: { id: { type: 'string' } } },
  response: { 204: { description: 'It is being stopped', type: 'null' } },
} as const;

export const readQuerySchema = {
  operationId: 'readQuery',
  tags: ['sql'],
  summary: 'The state of a statement, or why it failed within the last ten minutes',
  params: { type: 'object', properties: { id: { type: 'string' } } },
  response: {
    200: {
      description: 'The statement',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              ...queryProperties,
              state: { type: 'string', enum: ['waiting', 'running', 'failed'] },
              query: { type: 'string', description: 'As in the list, while it waits or runs.' },
              endedAt: { type: 'string', format: 'date-time', description: 'When it failed.' },
              error: {
                type: 'object',
                description: 'Why it failed. An operator sees the code, not the details.',
                properties: {
                  code: { type: 'string' },
                  title: { type: 'string' },
                  status: { type: 'integer' },
                  detail: { type: 'string' },
                  hint: { type: 'string' },
                  ...placeProperties,
                },
              },
            },
          },
        },
      },
    },
  },
} as const;
