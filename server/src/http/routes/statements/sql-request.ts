import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../../base/is-object.ts';
import { parseTtlMs } from '../../../model/duration.ts';
import { type EngineName, engineHeader, parseEngineName } from '../../../model/engine-name.ts';
import { FrameholdError } from '../../../model/errors.ts';
import { parseName, randomId } from '../../../model/handle.ts';
import type { StatementParameters } from '../../../ports/engine.ts';
import type { IntoTarget, SqlRequest } from '../../../sql/sql.ts';
import type { HttpContext } from '../../context.ts';
import { type JsonObject, parseExactJson } from '../../request/exact-json.ts';
import { queryOf, type RawQuery } from '../../request/raw-query.ts';
import { receiveText } from '../../request/receive-text.ts';
import {
  bodyMembers,
  intoMembers,
  intoModes,
  parametersBesideText,
  queryIdPattern,
  readSqlParameters,
} from '../schemas/sql-schema.ts';

/** A statement with what the caller wants of its answer. */
export interface RequestedStatement {
  readonly request: SqlRequest;
  /** Rows at most. */
  readonly limit: number | undefined;
  readonly quoteLargeNumbers: boolean;
}

/** The header in which a caller may choose the id of a statement, and in which every answer has it. */
export const queryIdHeader = 'framehold-query-id';

/** The id that the caller chose in the header or in `id=`, or a new one. Determined before anything can fail, so that every answer has it. */
export function queryIdOf(request: FastifyRequest): string {
  const header = request.headers[queryIdHeader];
  const inUrl = readSqlParameters.id.read(queryOf(request));
  const given = [...new Set([header, inUrl].filter((id) => id !== undefined).map(String))];
  if (given.length > 1) throw twoIds();
  return given[0] === undefined ? `q_${randomId()}` : checkedId(given[0]);
}

/** `GET`: everything is in the URL, and nothing may be changed. */
export function statementInUrl(request: FastifyRequest, id: string): RequestedStatement {
  const query = queryOf(request);
  const sql = checkedText(readSqlParameters.query.read(query), 'query');
  const engine = engineOf(request, readSqlParameters.engine.read(query));
  return {
    request: { sql, parameters: parametersIn(query), readOnly: true, id, ...engine },
    ...answerIn(query),
  };
}

/** `POST`: JSON with everything, or the text of the statement alone with the rest in the URL. */
export async function statementInBody(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<RequestedStatement> {
  const type = mediaType(request.headers['content-type']);
  const query = queryOf(request);
  if (query.has(readSqlParameters.query.name))
    throw new FrameholdError('bad_request', 'query is for GET.', { hint: 'Send the statement in the body.' });
  const text = await receiveText(request, reply, {
    bodyBytesMax: context.limits.sqlTextBytesMax,
    bodyIdleMs: context.limits.bodyIdleMs,
    bodyRateMin: context.limits.bodyRateMin,
    tooLargeHint: 'Put long lists of values into a frame and join it, or raise sql.text_bytes_max.',
  });
  if (type === 'json') return fromJson(parseBody(text), query, id, request);
  const into = intoIn(query);
  return {
    request: {
      sql: checkedText(text, 'The body'),
      parameters: parametersIn(query),
      id,
      ...engineOf(request, parametersBesideText.engine.read(query)),
      ...(into === undefined ? {} : { into }),
    },
    ...answerIn(query),
  };
}

const trueOrFalse = 'Give true or false, without quotes, or leave it out.';

function mediaType(contentType: string | undefined): 'json' | 'text' {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?(utf-?8|us-ascii)"?$/.test(charset);
  if (isUtf8 && type === 'application/json') return 'json';
  if (isUtf8 && (type === 'text/plain' || type === 'application/sql')) return 'text';
  throw new FrameholdError(
    'unsupported_media_type',
    contentType === undefined
      ? 'Content-Type is missing.'
      : `${contentType.slice(0, 100)} is not taken here.`,
    {
      hint: 'Send application/json with a member sql, or the statement as application/sql or text/plain, in UTF-8.',
    },
  );
}

function parseBody(text: string): JsonObject {
  const body = parseExactJson(text, 'The body');
  if (!isObject(body))
    throw new FrameholdError('bad_request', 'The body is not a JSON object.', {
      hint: 'For example {"sql": "select 1"}.',
    });
  refuseOthers(body, bodyMembers, 'The body');
  return body;
}

function fromJson(
  body: JsonObject,
  query: RawQuery,
  mintedId: string,
  request: FastifyRequest,
): RequestedStatement {
  for (const { name } of Object.values(parametersBesideText))
    if (query.has(name))
      throw new FrameholdError('bad_request', `${name} is in the URL of a JSON request.`, {
        hint: 'Send it in the body.',
      });
  for (const member of ['limit', 'quoteLargeNum'])
    if (query.has(member) && member in body)
      throw new FrameholdError('bad_request', `${member} is in the URL and in the body.`, {
        hint: `Give ${member} once.`,
      });
  const answer = answerIn(query);
  const { quoteLargeNum, history = true } = body;
  const limit = typeof body.limit === 'bigint' ? Number(body.limit) : body.limit;
  if (limit !== undefined && limit !== null && !(Number.isSafeInteger(limit) && (limit as number) >= 0))
    throw new FrameholdError('bad_request', 'limit is not a whole number from 0.', {
      hint: 'For example "limit": 100.',
    });
  if (quoteLargeNum !== undefined && typeof quoteLargeNum !== 'boolean')
    throw new FrameholdError('bad_request', 'quoteLargeNum is neither true nor false.', {
      hint: trueOrFalse,
    });
  if (typeof history !== 'boolean')
    throw new FrameholdError('bad_request', 'history is neither true nor false.', { hint: trueOrFalse });
  if (typeof body.sql !== 'string')
    throw new FrameholdError('bad_request', 'sql is missing, or not a string.', {
      hint: 'For example {"sql": "select 1"}.',
    });
  const into = checkedInto(body.into);
  return {
    request: {
      sql: checkedText(body.sql, 'sql'),
      parameters: checkedParameters(body.parameters),
      id: bodyId(body.id, mintedId, request),
      inHistory: history,
      ...engineOf(request, body.engine),
      ...(into === undefined ? {} : { into }),
    },
    limit: typeof limit === 'number' ? limit : answer.limit,
    quoteLargeNumbers: quoteLargeNum === true || answer.quoteLargeNumbers,
  };
}

/** In the header, or in the URL or the body. */
function engineOf(request: FastifyRequest, given: unknown): { readonly engine?: EngineName } {
  const header = request.headers[engineHeader];
  const named = [header, given ?? undefined].filter((name) => name !== undefined);
  if (named.some((name) => typeof name !== 'string'))
    throw new FrameholdError('bad_request', 'engine is not a string.', {
      hint: 'For example "engine": "duckdb".',
    });
  const [first, second = first] = named as string[];
  if (first === undefined) return {};
  if (first !== second)
    throw new FrameholdError('bad_request', 'Two different engines are given for the statement.', {
      hint: `Give one, in the header ${engineHeader} or as engine.`,
    });
  return { engine: parseEngineName(first) };
}

function bodyId(id: unknown, mintedId: string, request: FastifyRequest): string {
  if (id === undefined || id === null) return mintedId;
  if (typeof id !== 'string')
    throw new FrameholdError('bad_request', 'id is not a string.', { hint: 'For example "id": "report-7".' });
  const elsewhere = request.headers[queryIdHeader] !== undefined || /[?&]id=/.test(request.raw.url ?? '');
  if (elsewhere && id !== mintedId) throw twoIds();
  return checkedId(id);
}

function answerIn(query: RawQuery): Pick<RequestedStatement, 'limit' | 'quoteLargeNumbers'> {
  return {
    limit: readSqlParameters.limit.read(query),
    quoteLargeNumbers: readSqlParameters.quoteLargeNum.read(query),
  };
}

function intoIn(query: RawQuery): IntoTarget | undefined {
  const name = parametersBesideText.into.read(query);
  const mode = parametersBesideText.mode.read(query);
  const ttl = parametersBesideText.ttl.read(query);
  if (name === undefined) {
    if (mode !== undefined || ttl !== undefined)
      throw new FrameholdError('bad_request', 'mode and ttl belong to into.', { hint: 'Add into=NAME.' });
    return undefined;
  }
  return checkedInto({ name, mode, ttl });
}

function parametersIn(query: RawQuery): StatementParameters | null {
  const text = readSqlParameters.parameters.read(query);
  return text === undefined ? null : checkedParameters(parseExactJson(text, 'parameters'));
}

function checkedParameters(values: unknown): StatementParameters | null {
  if (values === undefined || values === null) return null;
  if (Array.isArray(values) || isObject(values)) return { kind: 'json', values };
  throw new FrameholdError('bad_request', 'parameters is neither a list nor an object.', {
    hint: 'Pass a list for $1, $2 …, or an object for $name.',
  });
}

function checkedInto(into: unknown): IntoTarget | undefined {
  if (into === undefined || into === null) return undefined;
  if (typeof into === 'string') return { name: parseName(into), mode: 'create' };
  if (!isObject(into))
    throw new FrameholdError('bad_request', 'into is neither a name nor an object.', {
      hint: 'For example "into": {"name": "result", "mode": "replace", "ttl": "1h"}.',
    });
  refuseOthers(into, intoMembers, 'into');
  const { name = null, mode = 'create', ttl } = into;
  if (name !== null && typeof name !== 'string')
    throw new FrameholdError('bad_request', 'The name of into is not a string.', {
      hint: 'For example "into": {"name": "result"}.',
    });
  const known = intoModes.find((each) => each === mode);
  if (known === undefined)
    throw new FrameholdError('bad_request', 'The mode of into is not a known one.', {
      hint: `Use one of ${intoModes.join(', ')}.`,
    });
  if (name === null && known !== 'create')
    throw new FrameholdError('bad_request', `mode ${known} needs a name.`, {
      hint: 'Set into to the name of the frame.',
    });
  if (ttl !== undefined && ttl !== null && !['string', 'number', 'bigint'].includes(typeof ttl))
    throw new FrameholdError(
      'bad_request',
      'The ttl of into is neither a number of seconds nor a text such as 1h.',
      { hint: 'For example "ttl": "1h", or "ttl": 3600.' },
    );
  return {
    name: name === null ? null : parseName(name),
    mode: known,
    ...(ttl === undefined ? {} : { ttlMs: ttl === null ? null : parseTtlMs(String(ttl)) }),
  };
}

function checkedText(sql: string | undefined, what: string): string {
  if (sql === undefined || sql.trim() === '')
    throw new FrameholdError('bad_request', `${what} has no statement.`, {
      hint: 'Send one SQL statement, for example select count(*) from trades.',
    });
  return sql;
}

function checkedId(id: string): string {
  if (queryIdPattern.test(id)) return id;
  throw new FrameholdError('bad_request', 'The id of the query is not one that can be used.', {
    hint: 'Use 1 to 64 of A-Z a-z 0-9 _ . -',
  });
}

function twoIds(): FrameholdError {
  return new FrameholdError('bad_request', 'Two different ids are given for the query.', {
    hint: `Give one, in the header ${queryIdHeader} or as id.`,
  });
}

function refuseOthers(object: JsonObject, members: object, what: string): void {
  const known = Object.keys(members);
  const other = Object.keys(object).find((member) => !known.includes(member));
  if (other === undefined) return;
  throw new FrameholdError(
    'bad_request',
    `${what} has a member ${JSON.stringify(other.slice(0, 40))}, which means nothing here.`,
    { hint: `It may have ${known.join(', ')}.` },
  );
}
