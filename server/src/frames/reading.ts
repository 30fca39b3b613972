import type { StoredObject, VersionRecord } from './version.ts';

/** Where the rows of a part can be read on this machine. The Arrow form is preferred where it is there. */
export interface PartSource {
  readonly rows: number;
  readonly arrow: string | null;
  readonly parquet: readonly string[] | null;
}

/** A version opened for reading: its objects stay until `release`. */
export interface Reading {
  readonly record: VersionRecord;
  readonly sources: readonly PartSource[];
  /** Indices into the schema's columns, in the order asked for; null for all. */
  readonly columns: readonly number[] | null;
  readonly offset: number;
  /** Rows from `offset` to read, never more than there are. */
  readonly rowCount: number;
  /** What the sources are made of: checked where reading them fails. */
  readonly objects?: readonly StoredObject[];
  release(): void;
}
