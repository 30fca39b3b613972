import type { RowPositions } from '../../ports/catalog/versions.ts';
import type { NameRow } from '../name-rows.ts';
import { frameNotFound, notAppendOnly, positionUnknown } from '../refusals.ts';

/**
 * How many versions of a name have a known position, the newest first: a consumer that falls further behind reads all rows again. A position takes some
 * 60 bytes, so a name that is appended to all the time has 6 MB of them.
 */
export const positionsMax = 100_000;

/**
 * How many restores back a version is followed: whoever restores what was restored, again and again, makes a chain of them, and each read of rows since a
 * version would follow all of it.
 */
export const lineageMax = 1000;

/** Where a version ends. */
export interface PositionRow {
  readonly version: number;
  readonly version_id: string;
  readonly rows: number;
}

/** Versions from `first` to `version`, each of which appends to the one before it. `base`: the version whose rows the first of them continues. */
export interface LineageRow {
  readonly version: number;
  readonly first: number;
  readonly base: number | null;
}

/** `after` exclusive, `until` inclusive; null is the newest. */
export interface VersionSpan {
  readonly after: number;
  readonly until: number | null;
}

export interface FoundForRange {
  readonly name: NameRow & { readonly newest: number };
  /** The version that is read: `until` if it is kept, else the newest. */
  readonly read: PositionRow;
  /** The versions whose rows it begins with, the newest first, down to `after` at least. */
  readonly lineage: readonly LineageRow[];
  /** undefined: it is not known. */
  readonly after: PositionRow | undefined;
  readonly until: PositionRow | undefined;
  /** The first version at the end of the lineage whose position is known. */
  readonly earliest: number | null;
}

/** The rows that were added after a version. null if `until` is not kept, and is not the beginning of the newest version. */
export function rowsBetween(span: VersionSpan, found: FoundForRange): RowPositions | null {
  const { read, lineage, until } = found;
  const isKept = span.until === null || span.until === read.version;
  const end = isKept ? read : until;
  if (end === undefined || (!isKept && !contains(lineage, end.version))) return null;
  return {
    version: read.version,
    versionId: read.version_id,
    until: end.version,
    untilId: end.version_id,
    firstRow: span.after === 0 ? 0 : firstRowAfter(span.after, end.version, found),
    endRow: end.rows,
  };
}

function contains(lineage: readonly LineageRow[], version: number): boolean {
  return lineage.some((run) => run.first <= version && version <= run.version);
}

function firstRowAfter(after: number, until: number, found: FoundForRange): number {
  const { name, lineage, earliest } = found;
  if (after >= name.next_version) throw frameNotFound(name.name, after);
  if (contains(lineage, after)) {
    if (found.after !== undefined) return found.after.rows;
    throw positionUnknown(name.name, after, earliest);
  }
  const later = lineage.findLast((run) => run.first > after);
  if (later === undefined) throw notAppendOnly(name.name, after, until, { droppedBefore: until });
  if (later.base === null) throw notAppendOnly(name.name, after, until, { replacedBy: later.first });
  if (later.base < after)
    throw notAppendOnly(name.name, after, until, { by: later.first, continues: later.base });
  throw positionUnknown(name.name, after, later.first);
}
