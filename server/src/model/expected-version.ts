import type { StoredVersion } from './version-slice.ts';

/** The version that must be the newest of its name for a change to be made. */
export interface ExpectedVersion {
  readonly version: number;
  /** undefined: the caller knows only the number. */
  readonly versionId?: string;
}

/** Only what is compared: it goes to the catalog with the change. */
export function expectedOf({ version, versionId }: StoredVersion): ExpectedVersion {
  return { version, versionId };
}

/** The number alone does not tell: after a failover that lost changes it may be given to another version. */
export function isExpected(newest: ExpectedVersion, { version, versionId }: ExpectedVersion): boolean {
  return newest.version === version && (versionId === undefined || newest.versionId === versionId);
}
