import type { FileLayout, FilePiece } from '../frames/ports/catalog/files.ts';

/** Tables of a catalog that hold layouts of files, as rows have them. */

export interface FileLayoutRow {
  readonly etag: string;
  readonly bytes: number;
}

export interface FileObjectRow {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly start: number;
  readonly length: number;
  /** SQLite has no booleans. */
  readonly own: number | boolean;
}

export function layoutOfRows({ etag, bytes }: FileLayoutRow, rows: readonly FileObjectRow[]): FileLayout {
  return { etag, bytes, pieces: rows.map(pieceOf) };
}

function pieceOf({ key, bytes, sha256, start, length, own }: FileObjectRow): FilePiece {
  return { object: { key, bytes, sha256 }, start, length, isOwn: Boolean(own) };
}

export function ownKeys({ pieces }: FileLayout): readonly string[] {
  return [...new Set(pieces.filter(({ isOwn }) => isOwn).map(({ object }) => object.key))];
}

export function partKeys({ pieces }: FileLayout): readonly string[] {
  return [...new Set(pieces.filter(({ isOwn }) => !isOwn).map(({ object }) => object.key))];
}
