import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { parseRowsHandle } from '../../model/handle.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { queryOf, type RawQuery } from '../request/raw-query.ts';
import { ignoredHeader, unknownParameters } from '../request/unknown-parameters.ts';
import { cacheControl } from '../response/etag.ts';
import { execProblem } from '../response/exec-problem.ts';
import { proxyAnswer } from '../response/proxy-answer.ts';
import { sendRows } from '../response/send-rows.ts';
import { methodNotAllowed, resource } from './resource.ts';
import { pageHeaders } from './rows-page.ts';
import { execSchema, handleParameters, queryParameters } from './schemas/exec-schema.ts';

const limitDefault = 1_000;
const taken = { handle: Object.keys(handleParameters), query: Object.keys(queryParameters) } as const;

/** `GET /exec`: frozen. `handle` reads a held frame, `query` asks the external database. */
export function execRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/exec', {
    // It accepts whatever QuestDB's clients send.
    traits: { saysTime: false, unknownParameters: 'ignored', problem: execProblem },
    GET: {
      schema: execSchema,
      parameters: { ...handleParameters, ...queryParameters },
      handler: (request, reply) => {
        const query = queryOf(request);
        const mode = chooseMode(query);
        const ignored = unknownParameters(request, taken[mode]);
        if (ignored.length > 0) reply.header('framehold-ignored-parameters', ignoredHeader(ignored));
        checkFormat(query);
        return mode === 'handle'
          ? execHandle(context, query, request, reply)
          : execQuery(context, query, request, reply);
      },
    },
  });
}

function chooseMode(query: RawQuery): 'handle' | 'query' {
  if (query.has('handle') && query.has('query')) {
    throw new FrameholdError('bad_request', 'Both handle and query are given.', {
      hint: 'Use handle to read a stored frame, or query to query the external database.',
    });
  }
  for (const mode of ['handle', 'query'] as const) {
    const raw = query.raw(mode);
    if (raw === undefined) continue;
    if (raw === '')
      throw new FrameholdError('bad_request', `${mode} is empty.`, { hint: `Give ${mode} a value.` });
    return mode;
  }
  throw new FrameholdError('bad_request', 'Neither handle nor query is given.', {
    hint: 'Use /exec?handle=NAME&fmt=json to read a stored frame, or /exec?query=SQL&fmt=json to query the external database.',
  });
}

function checkFormat(query: RawQuery): void {
  const format = handleParameters.fmt.read(query);
  if (format === 'json') return;
  const detail =
    format === undefined
      ? 'fmt is missing.'
      : `fmt=${JSON.stringify(format.slice(0, 40))} is not supported here.`;
  throw new FrameholdError('bad_request', `${detail} The only value is json.`, {
    hint: 'Use fmt=json, or /exp for csv, ndjson, arrow and parquet.',
  });
}

async function execHandle(
  context: HttpContext,
  query: RawQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const text = query.value('handle') ?? '';
  const handle = parseRowsHandle(text);
  const { limitMax } = context.limits;
  const range = { limit: handleParameters.limit.read(query, limitMax) ?? Math.min(limitDefault, limitMax) };
  const options = {
    format: 'json' as const,
    query: `handle:${text}`,
    quoteLargeNumbers: handleParameters.quoteLargeNum.read(query),
  };
  const record = await context.frames.resolve(callerOf(request), handle, neverAborted);
  await sendRows(context, request, reply, {
    handle,
    record,
    range,
    options,
    headers: {
      'cache-control': cacheControl(handle.version !== null, context.authenticator.isOpen),
      ...pageHeaders(context.publicUrl, record, range, options, query),
    },
  });
}

/** For look-ups that are over in microseconds: making a signal would cost more than the look-up. */
const neverAborted = new AbortController().signal;

async function execQuery(
  context: HttpContext,
  query: RawQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.method !== 'GET') throw methodNotAllowed(reply, ['GET']);
  const forwarded = taken.query.filter((key) => query.has(key)).map((key) => `${key}=${query.raw(key)}`);
  const rawQuery = forwarded.join('&');
  // Callers differ then: what one may read must not be answered from a cache to another.
  if (!context.authenticator.isOpen) reply.header('cache-control', 'no-store');
  const caller = callerOf(request);
  await proxyAnswer(
    (receiver) => context.proxy.forward(caller, rawQuery, receiver),
    reply,
    context.limits.answerIdleMs,
  );
}
