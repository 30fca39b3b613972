import type { FastifyRequest } from 'fastify';
import { decodeOrKeep, queryOf } from '../request/raw-query.ts';
import { type ProblemForm, problemSchema } from './problem.ts';

/** Errors of `/exec` have the form that QuestDB's clients expect. */
export const execProblem: ProblemForm = {
  contentType: 'application/json; charset=utf-8',
  members: (request) => ({ query: queryText(request) }),
  schema: {
    ...problemSchema,
    properties: { ...problemSchema.properties, query: { type: 'string', description: 'What was asked.' } },
  },
};

function queryText(request: FastifyRequest): string {
  try {
    const query = queryOf(request);
    const handle = query.raw('handle');
    return handle === undefined ? decodeOrKeep(query.raw('query') ?? '') : `handle:${decodeOrKeep(handle)}`;
  } catch {
    return '';
  }
}

/** Longer than any spelling that is meant. */
const pathCharactersMax = 200;

/**
 * Whether a URL that matches no route means `/exec` in another spelling: with extra slashes, in capitals, percent-encoded, or with its host.
 * The error has the same form then.
 */
export function isExecPath(url: string): boolean {
  const [path = ''] = url.slice(0, pathCharactersMax).split(/[?#;]/, 1);
  const steps = decodeOrKeep(path.replace(/^https?:\/\/[^/]*/i, ''))
    .split('/')
    .filter((step) => step !== '' && step !== '.');
  return steps.length === 1 && steps[0]?.toLowerCase() === 'exec';
}
