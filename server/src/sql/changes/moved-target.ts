import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { parseRowsHandle } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import { type StoredVersion, storedVersion } from '../../model/version-slice.ts';
import type { StatementShape } from '../../ports/engine.ts';

/** What a statement changes was changed after the statement had read it: its rows are of the past, and would undo that change. */
export class TargetMoved extends Error {
  readonly frame: string;

  constructor(frame: string, cause?: unknown) {
    super(`${frame} has changed since it was read`, { cause });
    this.frame = frame;
  }
}

/**
 * The versions of its own target that a statement reads by the name alone: one, unless the name is written in two ways. A version that is named
 * (`t@3`) is wanted as it is, whatever is put meanwhile.
 */
export function targetVersionsRead(
  { tenant }: Caller,
  { tables }: StatementShape,
  records: readonly VersionRecord[],
  target: string | null,
): readonly StoredVersion[] {
  const lower = target?.toLowerCase();
  return records
    .filter(
      (record, index) =>
        record.tenant === tenant && record.name.toLowerCase() === lower && namesNoVersion(tables[index]),
    )
    .map(storedVersion);
}

function namesNoVersion(written: string | undefined): boolean {
  if (written === undefined) return false;
  const { version, tag } = parseRowsHandle(written);
  return version === null && tag === undefined;
}

export function writeConflict({ frame, cause }: TargetMoved, runs: number, why?: unknown): FrameholdError {
  const times = runs === 1 ? 'once' : `${runs} times`;
  const outOfTime = why === undefined ? '' : '; its time limit left no more';
  return new FrameholdError(
    'write_conflict',
    `${JSON.stringify(frame)} was changed by others each time after the statement had read it; it has run ${times}${outOfTime}. Nothing was stored.`,
    { cause: why ?? cause },
  );
}
