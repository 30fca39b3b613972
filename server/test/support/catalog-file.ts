import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the server's own catalog says, read beside the running server: SQLite's WAL lets a second process read. */
export interface CatalogPart {
  readonly name: string;
  /** Behind other parts of the same version. */
  readonly appended: boolean;
  readonly hasArrow: boolean;
  readonly parquet: 'none' | 'exact' | 'beside';
  readonly refusal: string | null;
}

export function ask<Row>(
  dataDirectory: string,
  sql: string,
  ...parameters: readonly (string | null)[]
): Row[] {
  const database = new DatabaseSync(join(dataDirectory, 'catalog.sqlite'), {
    readOnly: true,
    timeout: 60_000,
  });
  try {
    return database.prepare(sql).all(...parameters) as Row[];
  } finally {
    database.close();
  }
}

export function catalogParts(dataDirectory: string): CatalogPart[] {
  const rows = ask<{
    name: string;
    seq: number;
    arrow: number;
    exact: number | null;
    refusal: string | null;
  }>(
    dataDirectory,
    `select names.name, parts.seq, parts.arrow_bytes is not null arrow, parts.parquet_exact exact, parts.refusal
     from parts join names on names.id = parts.name_id order by names.name`,
  );
  return rows.map(({ name, seq, arrow, exact, refusal }) => ({
    name,
    appended: seq > 0,
    hasArrow: arrow === 1,
    parquet: exact === null ? 'none' : exact === 1 ? 'exact' : 'beside',
    refusal,
  }));
}

/** Keys of the objects that parts have, and of those that wait to be removed. */
export function catalogKeys(dataDirectory: string): { readonly live: string[]; readonly garbage: string[] } {
  const keys = (sql: string) => ask<{ key: string }>(dataDirectory, sql).map(({ key }) => key);
  return {
    live: keys('select key from objects order by key'),
    garbage: keys('select key from garbage order by key'),
  };
}

/** What the file itself says against it: its structure, its references, and the sum that is kept beside the rows it sums. */
export function catalogFaults(dataDirectory: string): object[] {
  return [
    ...ask<{ integrity_check: string }>(dataDirectory, 'pragma integrity_check').filter(
      (row) => row.integrity_check !== 'ok',
    ),
    ...ask<object>(dataDirectory, 'pragma foreign_key_check'),
    ...ask<object>(
      dataDirectory,
      `select counted, summed from (select arrow_bytes counted from counters),
       (select ifnull(sum(arrow_bytes), 0) summed from parts) where counted <> summed`,
    ),
  ];
}

/** Files that hold frames: keys of objects, from both folders, and whatever is left in the two folders for unfinished ones. */
export function objectFiles(dataDirectory: string): {
  readonly keys: string[];
  readonly temporary: string[];
} {
  const files = (folder: string) =>
    readdirSync(join(dataDirectory, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(dataDirectory, folder).length + 1));
  const keys = [...files('objects'), ...files('cold')]
    .filter((file) => /^[^.][^/]*\/.*\.(arrow|parquet)$/.test(file))
    .sort();
  return { keys, temporary: [...files('tmp'), ...files(join('cold', '.tmp'))] };
}
