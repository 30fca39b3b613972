import { errorKinds } from '../frames/errors.ts';

/** The body of every error, as the OpenAPI document has it. */
const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
  properties: {
    type: { type: 'string', description: 'urn:framehold:error: and the code' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    code: { type: 'string', enum: Object.keys(errorKinds) },
    hint: { type: 'string', description: 'What to do about it.' },
    requestId: { type: 'string' },
    error: { type: 'string', description: 'The detail once more, where clients of QuestDB look for it.' },
  },
} as const;

const description = 'An error';

export const problemSchema = {
  description,
  content: { 'application/problem+json': { schema: problem } },
} as const;

/** On `/exec`, which is as QuestDB's. */
export const execProblemSchema = {
  description,
  content: {
    'application/json': {
      schema: {
        ...problem,
        properties: { ...problem.properties, query: { type: 'string', description: 'What was asked.' } },
      },
    },
  },
} as const;
