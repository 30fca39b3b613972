import type { PartForm, StoredObject, VersionRecord } from '../version.ts';

/** The local files of the form of a part that is read; `part-forms.ts` chose it. */
export interface PartSource {
  readonly rows: number;
  readonly kind: PartForm['kind'];
  /** Arrow: one file. Parquet: any number, in order. */
  readonly paths: readonly string[];
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
  /** The objects behind the sources: verified if reading fails. */
  readonly objects?: readonly StoredObject[];
  release(): void;
}
