import { FrameholdError } from '../../model/errors.ts';
import { postgres } from '../../model/types/postgres-types.ts';
import { nextToken } from '../text/tokens.ts';

/** DuckDB's names of the types that clients state for parameters. A numeric has digits that only its values tell. */
const scalarTypes: ReadonlyMap<number, string> = new Map([
  [16, 'BOOLEAN'],
  [17, 'BLOB'],
  [18, 'VARCHAR'],
  [19, 'VARCHAR'],
  [20, 'BIGINT'],
  [21, 'SMALLINT'],
  [23, 'INTEGER'],
  [25, 'VARCHAR'],
  [700, 'FLOAT'],
  [701, 'DOUBLE'],
  [1042, 'VARCHAR'],
  [1043, 'VARCHAR'],
  [1082, 'DATE'],
  [1083, 'TIME'],
  [1114, 'TIMESTAMP'],
  [1184, 'TIMESTAMPTZ'],
  [1186, 'INTERVAL'],
  [2950, 'UUID'],
]);

const arrayOids: ReadonlyMap<number, number> = new Map(
  Object.values(postgres).flatMap(({ oid, arrayOid }) => (arrayOid === null ? [] : [[oid, arrayOid]])),
);
const castTypes: ReadonlyMap<number, string> = new Map([
  ...scalarTypes,
  ...[...arrayOids].flatMap(([oid, arrayOid]): [number, string][] => {
    const type = scalarTypes.get(oid);
    return type === undefined ? [] : [[arrayOid, `${type}[]`]];
  }),
]);

/** The type of a list of such values; of texts if there is none. */
export function arrayOidOf(oid: number | undefined): number {
  return arrayOids.get(oid ?? 0) ?? (postgres.text.arrayOid as number);
}

/** The text with a cast around each parameter whose type the client has stated: types of the columns can depend on it. */
export function withTypes(text: string, types: readonly number[]): string {
  if (!types.some((oid) => castTypes.has(oid))) return text;
  // A cast is at most a few times as long as what it is put around.
  return replaceParameters(text, Number.POSITIVE_INFINITY, (number, written) => {
    const type = castTypes.get(types[number - 1] ?? 0);
    return type === undefined ? written : `CAST(${written} AS ${type})`;
  });
}

/** The text with a null in place of each parameter, of the type that is known for it. */
export function withNulls(text: string, types: readonly number[]): string {
  return replaceParameters(text, Number.POSITIVE_INFINITY, (number) => {
    const type = castTypes.get(types[number - 1] ?? 0);
    return type === undefined ? 'NULL' : `CAST(NULL AS ${type})`;
  });
}

/**
 * Of `$1`, `$2` …; a parameter with a name stays. Throws if the text becomes too long: a value can stand in it as often as the text has room for `$1`.
 */
export function replaceParameters(
  text: string,
  charactersMax: number,
  replacement: (number: number, written: string) => string,
): string {
  let replaced = '';
  let copied = 0;
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    if (token.kind !== 'parameter') continue;
    const written = text.slice(token.start, token.end);
    const number = Number(written.slice(1));
    if (!Number.isInteger(number)) continue;
    replaced += text.slice(copied, token.start) + replacement(number, written);
    copied = token.end;
    if (replaced.length > charactersMax)
      throw new FrameholdError(
        'body_too_large',
        `With its values the statement is longer than ${charactersMax} characters.`,
        { hint: 'Put long lists of values as a frame and join it. The limit is sql.text_bytes_max.' },
      );
  }
  return replaced + text.slice(copied);
}
