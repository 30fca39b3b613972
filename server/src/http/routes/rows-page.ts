import type { ReadRange } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Handle } from '../../model/handle.ts';
import { parseRowsHandle } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { RenderOptions } from '../../ports/renderer.ts';
import { decodeCursor, encodeCursor } from '../request/cursor.ts';
import type { RawQuery } from '../request/raw-query.ts';
import { rowsParameters } from './schemas/rows-schema.ts';

/** Where the next page of rows begins. */
interface RowsCursor {
  readonly handle: string;
  /** Of the version; absent in cursors of earlier releases. */
  readonly id?: string;
  readonly offset: number;
}

/** Many clients and proxies take headers of 8 KiB in all, and the names of columns alone may be more. */
const linkCharactersMax = 2_048;

export function readCursor(query: RawQuery): RowsCursor | null {
  const text = rowsParameters.cursor.read(query);
  if (text === undefined) return null;
  return decodeCursor(text, (value): value is RowsCursor => {
    const { handle, id = '', offset } = (value ?? {}) as Partial<RowsCursor>;
    return (
      typeof handle === 'string' &&
      typeof id === 'string' &&
      Number.isSafeInteger(offset) &&
      (offset ?? -1) >= 0
    );
  });
}

/** Where the rows begin: a cursor already contains it, so that `offset` beside it would be ambiguous. */
export function firstRow(query: RawQuery, cursor: RowsCursor | null): number {
  const offset = rowsParameters.offset.read(query);
  if (cursor === null) return offset ?? 0;
  if (offset === undefined) return cursor.offset;
  throw new FrameholdError('bad_request', 'offset and cursor were both given.', {
    hint: 'A cursor continues after the previous page: omit offset, or start again without a cursor.',
  });
}

/** A cursor stays in the version in which it began, even if the name has a newer one. */
export function pinnedBy(cursor: RowsCursor, asked: Handle): Handle {
  const pinned = parseRowsHandle(cursor.handle);
  if (
    pinned.tenant === asked.tenant &&
    pinned.name === asked.name &&
    pinned.after === asked.after &&
    (asked.version === null || asked.version === pinned.version)
  )
    return cursor.id === undefined ? pinned : { ...pinned, versionId: cursor.id };
  throw new FrameholdError('bad_cursor', 'The cursor belongs to another frame.', {
    hint: 'Use the cursor with the handle it was created for.',
  });
}

/** How many rows there are, and how to go on if these are not the last. `query` has what the next request repeats. */
export function pageHeaders(
  publicUrl: string,
  record: VersionRecord,
  { offset = 0, limit, columns }: ReadRange,
  { format, quoteLargeNumbers }: RenderOptions,
  query: RawQuery,
): Record<string, string> {
  const total = { 'framehold-rows-total': String(record.rows) };
  if (limit === undefined || limit === 0 || offset + limit >= record.rows) return total;
  const pinned = handleTextOf(record);
  const cursor = encodeCursor({
    handle: pinned,
    id: record.versionId,
    offset: offset + limit,
  } satisfies RowsCursor);
  const parameters = [
    `fmt=${format}`,
    `limit=${limit}`,
    ...(quoteLargeNumbers ? ['quoteLargeNum=true'] : []),
    ...(columns === undefined ? [] : [`columns=${query.raw('columns')}`]),
    ...(query.has('link') ? [`link=${query.raw('link')}`] : []),
    `cursor=${cursor}`,
  ];
  const link = `<${publicUrl}/v1/frames/${pinned}/rows?${parameters.join('&')}>; rel="next"`;
  return { ...total, 'framehold-cursor': cursor, ...(link.length > linkCharactersMax ? {} : { link }) };
}
