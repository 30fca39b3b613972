import type { Field } from '../field.ts';

/**
 * A result over PostgreSQL's catalogs has types that Arrow has not, such as `name` and `oid`: this mark in the metadata of a field says what PostgreSQL calls its
 * type. Only the engine makes it; schemas of frames lose it on their way through the engine.
 */
const markKey = 'framehold:postgres';

export function withPostgresType(field: Field, type: string): Field {
  return { ...field, metadata: [...field.metadata, [markKey, type]] };
}

/** As pg_type calls it; null for a field without a mark. */
export function postgresTypeMark({ metadata }: Field): string | null {
  return metadata.find(([key]) => key === markKey)?.[1] ?? null;
}
