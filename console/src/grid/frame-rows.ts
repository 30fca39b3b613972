import type { Framehold, Manifest } from '@framehold/client';
import { signal } from '@preact/signals';
import type { GridColumn, RowSource, Window } from './row-source.ts';
import { tableWindow } from './table-window.ts';

/** A page of this size arrives at once even over a slow line. */
const pageBytes = 1024 * 1024;
const pageRowsMax = 500;
const pageRowsMin = 20;

/** The rows of one version of a frame, as they are stored. */
export function frameRows(
  client: Pick<Framehold, 'rows'>,
  manifest: Pick<Manifest, 'handle' | 'rows' | 'bytes' | 'columns'>,
  link?: string,
): RowSource {
  const { handle, rows, bytes } = manifest;
  const columns: readonly GridColumn[] = manifest.columns.map(({ name, type }) => ({ name, type }));
  const nameable = nameableColumns(columns);
  const bytesOfRow = (bytes / Math.max(rows, 1)) * Math.min(1, 32 / Math.max(columns.length, 1));
  return {
    columns: signal(columns),
    rowCount: signal(rows),
    isComplete: signal(true),
    pageRows: Math.round(Math.min(Math.max(pageBytes / Math.max(bytesOfRow, 1), pageRowsMin), pageRowsMax)),
    async window(first, count, wanted, abort): Promise<Window> {
      // The parameter separates names by commas and means the first of two equal ones; other columns come with all.
      const isAll = wanted.length === columns.length || !wanted.every((column) => nameable.has(column));
      const read = await client.rows(handle, {
        offset: first,
        limit: count,
        ...(isAll ? {} : { columns: wanted.map((column) => columns[column]?.name ?? '') }),
        ...(link === undefined ? {} : { link }),
        signal: abort,
      });
      return tableWindow(first, await read.table(), isAll ? columns.map((_, column) => column) : wanted);
    },
  };
}

function nameableColumns(columns: readonly GridColumn[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const found = new Set<number>();
  for (const [index, { name }] of columns.entries()) {
    if (name !== '' && !name.includes(',') && !seen.has(name)) found.add(index);
    seen.add(name);
  }
  return found;
}
