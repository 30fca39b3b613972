import type { PartForm, StoredObject, VersionRecord } from '../model/version.ts';

/** The local files of the form of a part that is read; `part-forms.ts` chose it. */
export interface PartSource {
  readonly rows: number;
  readonly kind: PartForm['kind'];
  /** Arrow: one file. Parquet: any number, in order. */
  readonly paths: readonly string[];
  /** Of the files together, if it is known. */
  readonly bytes?: number;
}

/** A version opened for reading: its objects stay until `release`. */
export interface Reading {
  readonly record: VersionRecord;
  /** Those parts of the version that hold the rows. */
  readonly sources: readonly PartSource[];
  /** Indices into the schema's columns, in the order asked for; null for all. */
  readonly columns: readonly number[] | null;
  /** From the first row of the first source. */
  readonly offset: number;
  /** Rows from `offset` to read, never more than there are. */
  readonly rowCount: number;
  /** The objects behind the sources: verified if reading fails. */
  readonly objects?: readonly StoredObject[];
  release(): void;
}
