import { attemptUsableMs } from '../model/attempt-times.ts';
import { FrameholdError } from '../model/errors.ts';
import { type ExpectedVersion, isExpected } from '../model/expected-version.ts';
import { formatHandle, idTime } from '../model/handle.ts';

/** The refusals of every catalog: callers see the same text from each. */

/** Not a refusal: the change may or may not have been made. */
export function outcomeUnknown(cause: unknown): FrameholdError {
  return new FrameholdError('outcome_unknown', 'The catalog did not answer: the change may have been made.', {
    hint: 'Check whether it was made. A put with an idempotency key can be repeated safely.',
    cause,
  });
}

/** The objects of an older attempt may have been removed as orphans, and whether it took effect is no longer known. */
export function refuseOldAttempt(id: string, now: number): void {
  const madeAt = idTime(id);
  if (madeAt === null || madeAt >= now - attemptUsableMs) return;
  throw new FrameholdError('request_timeout', 'The change began more than 24 hours ago.', {
    hint: 'Begin it again. Send a large frame in several appends.',
  });
}

/** Why a name or a version ended. */
export type EndReason = 'expired' | 'dropped' | 'superseded';

const endTexts: Readonly<Record<EndReason, string>> = {
  expired: 'expired at',
  dropped: 'was dropped at',
  superseded: 'was superseded by newer versions and removed at',
};

export function frameNotFound(
  name: string,
  version: number | null,
  liveSpelling: string | null = null,
): FrameholdError {
  const detail = `There is no frame ${handleText(name, version)}.`;
  return liveSpelling === null
    ? new FrameholdError('frame_not_found', detail)
    : new FrameholdError('frame_not_found', detail, {
        hint: `A frame ${JSON.stringify(liveSpelling)} exists: names are case-sensitive.`,
      });
}

export function frameGone(
  name: string,
  version: number | null,
  reason: EndReason,
  endedAt: number,
): FrameholdError {
  const detail = `The frame ${handleText(name, version)} ${endTexts[reason]} ${new Date(endedAt).toISOString()}.`;
  return new FrameholdError('frame_gone', detail, {
    hint:
      reason === 'superseded'
        ? `Read ${JSON.stringify(name)} for the newest version.`
        : reason === 'dropped' && version === null
          ? 'Undrop it if it was dropped within frames.undrop_hours, or put the frame again; versions go on counting.'
          : 'Put the frame again to use its name; versions go on counting.',
  });
}

/** How many runs of versions a hint shows: people read it. */
const shownRunsMax = 10;

/** The same refusal, with the versions that the name still has (the newest first; `isAll` false if there are more). */
export function withVersions(
  error: FrameholdError,
  name: string,
  versions: readonly number[],
  isAll: boolean,
): FrameholdError {
  const runs: { first: number; last: number }[] = [];
  for (const version of versions) {
    const run = runs.at(-1);
    if (run !== undefined && run.first === version + 1) run.first = version;
    else runs.push({ first: version, last: version });
  }
  const shown = runs
    .slice(0, shownRunsMax)
    .reverse()
    .map(({ first, last }) =>
      first === last ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`,
    );
  const list = shown.join(', ');
  const isWhole = isAll && runs.length <= shownRunsMax;
  const listed = !isWhole
    ? `Its newest versions are ${list}.`
    : `It has ${versions.length === 1 ? 'version' : 'the versions'} ${list}.`;
  return new FrameholdError(error.kind, error.message, {
    hint: `${listed} Read ${JSON.stringify(name)} for the newest.`,
    cause: error,
  });
}

/** Why the rows of a version are not the beginning of a later one. */
export type LineageBreak =
  | { readonly replacedBy: number }
  /** Version `by` begins with the rows of an earlier version: it restores it, or continues it after a drop. */
  | { readonly by: number; readonly continues: number }
  | { readonly droppedBefore: number };

export function notAppendOnly(
  name: string,
  after: number,
  until: number,
  reason: LineageBreak,
): FrameholdError {
  const [what, hint] =
    'replacedBy' in reason
      ? [`version ${reason.replacedBy} replaced them`, `Read everything again: ${name}@0..`]
      : 'by' in reason
        ? [
            `version ${reason.by} goes on from version ${reason.continues}`,
            `Discard what came after version ${reason.continues} and read ${name}@${reason.continues}.., or read everything again: ${name}@0..`,
          ]
        : [
            `it was dropped, and version ${reason.droppedBefore} is the newest`,
            `Read everything again: ${name}@0..`,
          ];
  return new FrameholdError(
    'not_append_only',
    `${formatHandle(name, until)} does not begin with the rows of version ${after}: ${what}.`,
    { hint },
  );
}

/** `earliest`: the first version after which rows can be read; null if none is known. */
export function positionUnknown(name: string, after: number, earliest: number | null): FrameholdError {
  const everything = `read everything again: ${name}@0..`;
  return new FrameholdError(
    'position_unknown',
    `Where ${formatHandle(name, after)} ended is no longer known.`,
    {
      hint:
        earliest === null
          ? `Please ${everything}`
          : `The earliest version that is known is ${earliest}: read ${name}@${earliest}.. if you have its rows, or ${everything}`,
    },
  );
}

export function frameExists(name: string, newest: number): FrameholdError {
  return new FrameholdError(
    'frame_exists',
    `The frame ${JSON.stringify(name)} exists, with version ${newest}.`,
    {
      hint: 'Choose another name, or replace or append instead of create.',
    },
  );
}

export function nameInUse(name: string, newest: number): FrameholdError {
  return new FrameholdError(
    'name_in_use',
    `The frame ${JSON.stringify(name)} exists, with version ${newest}: what was dropped cannot come back beside it.`,
    { hint: 'To get the dropped frame back, first drop the existing one with purge.' },
  );
}

export function nameConflict(name: string, liveSpelling: string): FrameholdError {
  return new FrameholdError(
    'name_conflict',
    `${JSON.stringify(name)} differs only in case from the existing frame ${JSON.stringify(liveSpelling)}.`,
    { hint: `Use the name ${JSON.stringify(liveSpelling)}, or one that differs in more than case.` },
  );
}

/** version_mismatch if the newest version of the name (null: there is none) is not the one that a change counts on. */
export function checkExpected(
  name: string,
  expected: ExpectedVersion | null,
  newest: ExpectedVersion | null,
): void {
  if (expected === null || (newest !== null && isExpected(newest, expected))) return;
  throw versionMismatch(name, expected.version, newest?.version ?? null);
}

function versionMismatch(name: string, wanted: number, newest: number | null): FrameholdError {
  const state =
    newest === null
      ? 'it does not exist'
      : newest === wanted
        ? 'another one has this number now, because the catalog was restored to an earlier moment'
        : `its newest version is ${newest}`;
  return new FrameholdError(
    'version_mismatch',
    `Version ${wanted} of ${JSON.stringify(name)} was expected to be the newest, but ${state}.`,
    {
      hint: 'Read the frame again and decide anew.',
    },
  );
}

export function baseSchemaChanged(name: string): FrameholdError {
  return new FrameholdError(
    'schema_conflict',
    `The columns of ${JSON.stringify(name)} changed while the rows to append were on their way.`,
    { hint: 'Compare with the newest columns and append again.' },
  );
}

export function idempotencyConflict(key: string, how = 'for another request'): FrameholdError {
  return new FrameholdError(
    'idempotency_conflict',
    `The idempotency key ${JSON.stringify(key)} was used ${how} within the last day.`,
    { hint: 'Use a new key for a new request.' },
  );
}

/** The version that a repeated request made has ended, and its columns were too many to keep them for an answer. */
export function answerNotCached(name: string, version: number): FrameholdError {
  return new FrameholdError(
    'frame_gone',
    `The request with this idempotency key made ${handleText(name, version)}, which has ended since.`,
    { hint: 'It was carried out and is not repeated. Use a new key to put the frame again.' },
  );
}

function handleText(name: string, version: number | null): string {
  return JSON.stringify(version === null ? name : formatHandle(name, version));
}
