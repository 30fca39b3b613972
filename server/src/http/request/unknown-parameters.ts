import type { FastifyRequest } from 'fastify';
import { nearestName } from '../../base/nearest-name.ts';
import { FrameholdError } from '../../model/errors.ts';
import { queryOf } from './raw-query.ts';

/** A credential, read before any route: see `authentication-hook.ts`. */
const everywhere = 'link';

/** Names of these parameters in other services. Suggested only by routes that know them. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  columns: ['cols', 'fields', 'select'],
  cursor: ['after', 'page'],
  delimiter: ['sep', 'separator'],
  fmt: ['format', 'output', 'type'],
  handle: ['frame', 'name', 'table'],
  limit: ['count', 'max', 'n', 'rows', 'size', 'top'],
  null: ['na', 'nil', 'null_value', 'nulls'],
  offset: ['skip', 'start'],
  parameters: ['args', 'params', 'values'],
  query: ['q', 'sql', 'statement'],
  quoteLargeNum: ['quote_large_num'],
  ttl: ['expire', 'expires', 'expiry', 'lifetime'],
  types: ['dtypes', 'schema'],
};
/** Of an unknown name in the error: enough to recognise it. */
const shownCharacters = 40;
/** Many clients and proxies take headers of 8 KiB in all. */
const ignoredCharactersMax = 500;
/** The shortest prefix that is recognised: `delim` for `delimiter`. */
const beginningMin = 3;

/** bad_request for a parameter that the route does not know: a typing error must not be ignored. */
export function refuseUnknownParameters(request: FastifyRequest, taken: readonly string[]): void {
  const [unknown] = unknownParameters(request, taken);
  if (unknown === undefined) return;
  const meant = meantBy(unknown, taken);
  const list = taken.length === 0 ? 'It takes none.' : `It takes ${taken.join(', ')}.`;
  throw new FrameholdError(
    'bad_request',
    `This route has no parameter ${JSON.stringify(unknown.slice(0, shownCharacters))}.`,
    { hint: meant === undefined ? list : `Did you mean ${meant}? ${list}` },
  );
}

/** Those that are given but not known, in the order of the URL. */
export function unknownParameters(request: FastifyRequest, taken: readonly string[]): string[] {
  return queryOf(request).keys.filter((key) => key !== everywhere && !taken.includes(key));
}

function meantBy(unknown: string, taken: readonly string[]): string | undefined {
  const lower = unknown.toLowerCase();
  const spellings = new Map(taken.map((name) => [name.toLowerCase(), name]));
  const near = nearestName(lower, spellings.keys());
  // With two of three letters changed, any name would match.
  const isNear = near !== undefined && (lower.length > beginningMin || near[0] === lower[0]);
  return (
    taken.find((name) => otherNames[name]?.includes(lower)) ??
    (isNear ? spellings.get(near) : undefined) ??
    taken.find((name) => lower.length >= beginningMin && name.toLowerCase().startsWith(lower))
  );
}

/** Names as a header, safe whatever characters they have; those that do not fit are counted. */
export function ignoredHeader(names: readonly string[]): string {
  const shown: string[] = [];
  let characters = 0;
  for (const name of names) {
    const text = encodeURIComponent(name.slice(0, shownCharacters).toWellFormed());
    characters += text.length + 2;
    if (characters > ignoredCharactersMax)
      return [...shown, `and ${names.length - shown.length} more`].join(', ');
    shown.push(text);
  }
  return shown.join(', ');
}
