import type { FastifyRequest } from 'fastify';
import { errorKinds, type FrameholdError } from '../../model/errors.ts';

/** How the errors of a route look. */
export interface ProblemForm {
  readonly contentType: string;
  /** Members that come before those that every error has. */
  readonly members: (request: FastifyRequest) => Readonly<Record<string, unknown>>;
  /** For the OpenAPI document. */
  readonly schema: object;
}

/** The one body of every HTTP error: RFC 9457, plus `code`, `hint`, `requestId`, and `error`, where QuestDB's clients look. */
export function problemBody(error: FrameholdError, requestId: string, members: object = {}): string {
  const shape = errorKinds[error.kind];
  return JSON.stringify({
    ...members,
    type: `urn:framehold:error:${error.kind}`,
    title: shape.title,
    status: shape.status,
    detail: error.message,
    code: error.kind,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...error.place,
    requestId,
    error: error.message,
  });
}

/** Where in a statement an error is. */
export const placeProperties = {
  position: {
    type: 'integer',
    minimum: 0,
    description: 'Where in the statement, counted from 0 in UTF-16 code units, if it is known.',
  },
  line: { type: 'integer', minimum: 1, description: 'The line of the position, counted from 1.' },
  column: { type: 'integer', minimum: 1, description: 'The column of the position, counted from 1.' },
} as const;

/** The same body for the OpenAPI document. */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
  properties: {
    type: { type: 'string', description: 'urn:framehold:error: and the code' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    code: { type: 'string', enum: Object.keys(errorKinds) },
    hint: { type: 'string', description: 'What to do about it.' },
    ...placeProperties,
    requestId: { type: 'string' },
    error: { type: 'string', description: 'The detail once more, where clients of QuestDB look for it.' },
  },
} as const;

export const usualProblem: ProblemForm = {
  contentType: 'application/problem+json',
  members: () => ({}),
  schema: problemSchema,
};
