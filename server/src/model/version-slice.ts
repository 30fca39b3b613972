import type { VersionRecord, VersionSummary } from './version.ts';

/** A kept version. */
export interface StoredVersion {
  readonly version: number;
  readonly versionId: string;
}

/** Rows of a kept version, and the version that ends with them. */
export interface SlicedRows {
  readonly after: number;
  readonly until: number;
  readonly untilId: string;
  readonly firstRow: number;
  readonly endRow: number;
}

/**
 * The rows that were appended after a version, as if they were a version. Its id is one that no version has: what is cached by ids is never taken for the
 * whole version, and is right whichever later version the rows are read from.
 */
export function sliceOf(record: VersionRecord, rows: SlicedRows): VersionRecord {
  const { version, versionId } = record;
  return {
    ...record,
    version: rows.until,
    versionId: `${rows.untilId}~${rows.firstRow}`,
    rows: rows.endRow - rows.firstRow,
    slice: { after: rows.after, version, versionId, firstRow: rows.firstRow },
  };
}

/** The version whose parts have the rows. */
export function storedVersion({ version, versionId, slice }: VersionSummary): StoredVersion {
  return slice ?? { version, versionId };
}
