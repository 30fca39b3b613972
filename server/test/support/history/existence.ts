import type { Report } from './frame-history.ts';
import type { Operation } from './operation.ts';
import { isWrite, type VersionMakers } from './version-makers.ts';

/** What exists is gone only if somebody dropped it; what was dropped does not come back; a name is created once. */
export function existenceFaults(
  operations: readonly Operation[],
  makers: VersionMakers,
  report: Report,
): void {
  const drops = operations.filter(
    ({ kind, outcome }) => kind === 'drop' && (outcome === 'ok' || outcome === 'unknown'),
  );
  const between = (after: number, before: number) =>
    drops.some((drop) => drop.invoked < before && endOf(drop) > after);
  lostFrames(operations, between, report);
  const done = drops.filter(({ outcome }) => outcome === 'ok');
  for (const read of operations)
    if (read.kind === 'read' && read.outcome === 'ok') cameBack(read, done, makers, report);
  const creations = operations
    .filter(({ kind, outcome }) => kind === 'create' && outcome === 'ok')
    .sort((a, b) => (a.version ?? 0) - (b.version ?? 0));
  for (const [index, creation] of creations.entries()) {
    const earlier = creations[index - 1];
    if (earlier && !between(earlier.invoked, creation.answered))
      report(
        'doubled',
        `${earlier.id} and ${creation.id} both created the frame, and nobody dropped it in between`,
      );
  }
}

function lostFrames(
  operations: readonly Operation[],
  droppedBetween: (after: number, before: number) => boolean,
  report: Report,
): void {
  const seen = operations
    .filter(({ kind, outcome }) => outcome === 'ok' && kind !== 'drop')
    .sort((a, b) => a.answered - b.answered);
  const absent = operations
    .filter(({ outcome }) => outcome === 'absent')
    .sort((a, b) => a.invoked - b.invoked);
  let latest: Operation | null = null;
  let next = 0;
  for (const operation of absent) {
    for (let one = seen[next]; one && one.answered < operation.invoked; one = seen[++next])
      if (one.invoked > (latest?.invoked ?? Number.NEGATIVE_INFINITY)) latest = one;
    if (latest && !droppedBetween(latest.invoked, operation.answered))
      report(
        'lost',
        `${operation.kind} ${operation.id} found no frame after ${latest.kind} ${latest.id}, and nobody dropped it`,
      );
  }
}

/** Rows of a write that was acknowledged before a drop was sent, in what was asked for after the drop was acknowledged. */
function cameBack(read: Operation, drops: readonly Operation[], makers: VersionMakers, report: Report): void {
  const maker = makers.of(read.version ?? 0);
  if (maker?.outcome !== 'ok' || !isWrite(maker)) return;
  const drop = drops.find(({ invoked, answered }) => maker.answered < invoked && answered < read.invoked);
  if (drop) report('wrong', `${read.id} read version ${read.version} after ${drop.id} had dropped it`);
}

/** An effect without an answer may come at any later time. */
function endOf({ outcome, answered }: Operation): number {
  return outcome === 'unknown' ? Number.POSITIVE_INFINITY : answered;
}
