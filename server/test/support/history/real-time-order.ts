import type { Report } from './frame-history.ts';
import type { Operation } from './operation.ts';
import { isWrite, type VersionMakers } from './version-makers.ts';

/** What was answered before a question was asked is part of its answer; what was asked for later is not. */
export function orderFaults(operations: readonly Operation[], makers: VersionMakers, report: Report): void {
  const told = operations.filter(
    ({ outcome, version, kind }) => outcome === 'ok' && version !== undefined && kind !== 'drop',
  );
  const byAnswer = told.filter(({ pinned }) => !pinned).sort((a, b) => a.answered - b.answered);
  const byQuestion = told.toSorted((a, b) => a.invoked - b.invoked);
  let newest: Operation | null = null;
  let next = 0;
  for (const operation of byQuestion) {
    for (
      let earlier = byAnswer[next];
      earlier && earlier.answered < operation.invoked;
      earlier = byAnswer[++next]
    )
      if ((earlier.version ?? 0) > (newest?.version ?? 0)) newest = earlier;
    if (newest && !operation.pinned) compare(newest, operation, report);
    const maker = isWrite(operation) ? undefined : makers.of(operation.version ?? 0);
    if (maker && maker.invoked > operation.answered)
      report('wrong', `${operation.id} read version ${operation.version} before ${maker.id} was sent`);
  }
}

function compare(newest: Operation, operation: Operation, report: Report): void {
  const { version = 0 } = operation;
  const least = (newest.version ?? 0) + (isWrite(operation) ? 1 : 0);
  if (version < least)
    report(
      'disorder',
      `${operation.kind} ${operation.id} was told version ${version}, after ${newest.kind} ${newest.id} had been told version ${newest.version}`,
    );
}
