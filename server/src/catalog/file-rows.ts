import type { FileLayout, FileObject } from '../ports/catalog/files.ts';

/** Layouts of files, as the rows of both catalogs have them. */

export interface FileLayoutRow {
  readonly etag: string;
  readonly bytes: number;
  readonly pieces: Uint8Array;
}

export interface FileObjectRow {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  /** SQLite has no booleans. */
  readonly own: number | boolean;
}

export function layoutOfRows(
  { etag, bytes, pieces }: FileLayoutRow,
  rows: readonly FileObjectRow[],
): FileLayout {
  const objects = rows.map(({ own, key, bytes: size, sha256 }) => ({
    key,
    bytes: size,
    sha256,
    isOwn: Boolean(own),
  }));
  return { etag, bytes, objects, pieces: new Uint8Array(pieces) };
}

export function ownKeys({ objects }: FileLayout): readonly string[] {
  return keysOf(objects.filter(({ isOwn }) => isOwn));
}

export function partKeys({ objects }: FileLayout): readonly string[] {
  return keysOf(objects.filter(({ isOwn }) => !isOwn));
}

function keysOf(objects: readonly FileObject[]): readonly string[] {
  return objects.map(({ key }) => key);
}
