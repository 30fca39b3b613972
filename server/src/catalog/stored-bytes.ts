import type { StoredBytes } from '../ports/catalog/sharing.ts';

export interface StoredRow {
  readonly objects: number;
  readonly parquet: number;
  readonly bytes: number;
}

/** The keys of a tenant begin with its name and a slash: all of them are from the first to before the second. */
export function keysOf(tenant: string): readonly [string, string] {
  return [`${tenant}/`, `${tenant}0`];
}

/** Of rows of objects, as both databases write it. */
export const storedColumns = `count(*) AS objects, coalesce(sum(bytes), 0) AS bytes,
  coalesce(sum(CASE WHEN key LIKE '%.parquet' THEN bytes ELSE 0 END), 0) AS parquet`;

export function storedBytes({ objects, parquet, bytes }: StoredRow, objectsMax: number): StoredBytes {
  return { arrow: bytes - parquet, parquet, isWhole: objects < objectsMax };
}
