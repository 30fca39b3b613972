import type { StoredObject } from '../../model/version.ts';

/** How versions are served as one Parquet file each. A layout stays the same whatever happens to the parts of its version, so that a reader can fetch the file in pieces. */
export interface FileCatalog {
  /** null if none is recorded, or if the version has ended. */
  fileLayout(tenant: string, name: string, version: number): Promise<FileLayout | null>;
  /**
   * Records a layout, unless the version has one, and returns the one that is in force: two nodes that make one at the same time get the same answer.
   * null if the version has ended, or if a part no longer has one of the objects: then it must be made anew. The own objects of a layout that is not
   * recorded become garbage.
   */
  keepFileLayout(
    tenant: string,
    name: string,
    version: number,
    layout: FileLayout,
    now: number,
  ): Promise<FileLayout | null>;
  /** The layout is in use: it stays for another `fileKeptMs`. False if it is not in force (any more). */
  useFileLayout(tenant: string, name: string, version: number, etag: string, now: number): Promise<boolean>;
  /** Ends the layout, because one of its objects cannot be read. Does nothing if it is not in force. */
  endFileLayout(tenant: string, name: string, version: number, etag: string): Promise<void>;
}

/** How long a layout stays after its last use, and with it the objects that it names, even if parts have others by now. */
export const fileKeptMs = 60 * 60 * 1000;

export interface FileLayout {
  /** Of the file's bytes: a hash, without quotation marks. */
  readonly etag: string;
  readonly bytes: number;
  /** What its bytes are read from. */
  readonly objects: readonly FileObject[];
  /** Which bytes of these, in which order. The catalog does not look into it. */
  readonly pieces: Uint8Array;
}

export interface FileObject extends StoredObject {
  /** It belongs to the layout, not to a part, and becomes garbage when the layout ends. */
  readonly isOwn: boolean;
}
