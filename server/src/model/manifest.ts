import { formatHandle } from './handle.ts';
import type { Column, DescribedVersion, Origin, VersionSummary } from './version.ts';

/** A manifest without the columns: a frame may have ten thousand of them. */
export interface ManifestSummary {
  readonly handle: string;
  readonly name: string;
  readonly version: number;
  readonly frameId: string;
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** How many versions of the name are kept, if that was set for the name; absent: as many as the server keeps. */
  readonly versionsKeep?: number;
  readonly origin: Origin;
}

/** What callers see of a version, over HTTP and over Flight. */
export interface Manifest extends ManifestSummary {
  readonly columns: readonly Column[];
}

/** The name by which the caller knows it. */
export function shownName({ seenAs, name }: VersionSummary): string {
  return seenAs ?? name;
}

/** The handle of exactly this version, or of exactly these rows. */
export function handleTextOf(record: VersionSummary): string {
  return formatHandle(shownName(record), record.version, record.slice?.after);
}

export function manifestOf(record: DescribedVersion): Manifest {
  return { ...summaryOf(record), columns: record.schema.columns };
}

export function summaryOf(record: VersionSummary): ManifestSummary {
  return {
    handle: handleTextOf(record),
    name: shownName(record),
    version: record.version,
    frameId: record.frameId,
    rows: record.rows,
    bytes: record.bytes,
    parts: record.partCount,
    createdAt: new Date(record.createdAt).toISOString(),
    expiresAt: record.expiresAt === null ? null : new Date(record.expiresAt).toISOString(),
    ...(record.versionsKeep === undefined ? {} : { versionsKeep: record.versionsKeep }),
    origin: record.origin,
  };
}
