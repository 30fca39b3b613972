import { type CompactionLimits, chooseRun } from '../../model/compaction-runs.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { NewPart } from '../../ports/catalog/versions.ts';
import { refuseOldAttempt } from '../refusals.ts';

/** A part of a log that is examined, in the order of the log. */
export interface LogPartRow {
  readonly part_id: string;
  readonly seq: number;
  readonly size: number;
  /** It may not be compacted. SQLite has no booleans. */
  readonly apart: boolean | number;
}

/** A part with its place. */
export interface PlacedPart {
  readonly part_id: string;
  readonly name_id: number;
  readonly log: number;
  readonly seq: number;
  readonly first_row: number;
  readonly rows: number;
}

/** Neighbours that one part is to replace. */
export interface PlacedRun {
  readonly name_id: number;
  readonly log: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly firstRow: number;
  readonly rows: number;
}

/** What is in the place of a run now. */
export interface FoundInRun {
  /** Sound parts. */
  readonly count: number;
  /** A kept version, or a log that continues this one, ends before the last of them. */
  readonly isCut: boolean;
}

/** A log that reads the parts, with the schema of some of its versions. */
export interface ReaderRow {
  readonly log: number;
  readonly hash: string;
}

/** Which parts of a log are compacted next; null if there is nothing to compact. */
export function runToCompact<Part extends LogPartRow>(
  parts: readonly Part[],
  endsVersion: (part: Part) => boolean,
  limits: CompactionLimits,
): readonly Part[] | null {
  const candidates = parts.map((part) => ({
    bytes: part.size,
    apart: Boolean(part.apart),
    endsVersion: endsVersion(part),
  }));
  const chosen = chooseRun(candidates, limits);
  return chosen === null ? null : parts.slice(...chosen);
}

/**
 * That of the shortest version that reads the part: every longer one accepts its rows too. Versions of a log that continues this one may have made
 * other columns nullable: if the schemas differ then, there is none that all of them accept, and the parts stay as they are (null).
 */
export function compactedSchema(readersShortestFirst: readonly ReaderRow[]): string | null {
  const [shortest] = readersShortestFirst;
  if (shortest === undefined) return null;
  const isOneLog = readersShortestFirst.every(({ log }) => log === shortest.log);
  return isOneLog || readersShortestFirst.every(({ hash }) => hash === shortest.hash) ? shortest.hash : null;
}

/** `done` if the same compaction was made before: its part is in use and must not become garbage. null if they are no run any more. */
export function placedRun(
  partIds: readonly string[],
  part: NewPart,
  placed: readonly PlacedPart[],
  now: number,
): PlacedRun | 'done' | null {
  const byId = new Map(placed.map((found) => [found.part_id, found]));
  if (byId.has(part.id)) return 'done';
  refuseOldAttempt(part.id, now);
  const run = partIds.flatMap((id) => byId.get(id) ?? []);
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last || run.length < partIds.length || !areOrdered(run, first)) return null;
  const { name_id, log, first_row: firstRow } = first;
  const rows = run.reduce((sum, each) => sum + each.rows, 0);
  return { name_id, log, first: first.seq, last: last.seq, count: run.length, firstRow, rows };
}

/** Whether the part may take the place of the run: they are sound neighbours, and no kept version ends within. */
export function replacesRun(run: PlacedRun, found: FoundInRun, part: NewPart): boolean {
  if (found.count !== run.count || found.isCut) return false;
  if (run.rows === part.rows) return true;
  throw new FrameholdError(
    'internal',
    `Parts of ${run.rows} rows cannot be replaced by one of ${part.rows}.`,
  );
}

function areOrdered(run: readonly PlacedPart[], { name_id, log }: PlacedPart): boolean {
  return run.every((part, index) => {
    const before = run[index - 1];
    return part.name_id === name_id && part.log === log && (before === undefined || part.seq > before.seq);
  });
}
