import { existenceFaults } from './existence.ts';
import type { Fault, Operation, Run } from './operation.ts';
import { orderFaults } from './real-time-order.ts';
import { VersionMakers } from './version-makers.ts';

/** The operations on one name. */
export class FrameHistory {
  readonly #name: string;
  readonly #operations: readonly Operation[];
  readonly #faults: Fault[] = [];
  compared = 0;

  constructor(name: string, operations: readonly Operation[]) {
    this.#name = name;
    this.#operations = operations;
  }

  faults(): readonly Fault[] {
    const report = (kind: Fault['kind'], detail: string) =>
      this.#faults.push({ kind, name: this.#name, detail });
    const makers = new VersionMakers(this.#operations, report);
    const contents = this.#expectedContents(makers);
    const reads = this.#operations.filter(({ kind, outcome }) => kind === 'read' && outcome === 'ok');
    for (const read of reads) this.#compareRead(read, contents, report);
    orderFaults(this.#operations, makers, report);
    existenceFaults(this.#operations, makers, report);
    for (const statement of this.#operations)
      if (statement.kind === 'sql' && statement.outcome === 'ok')
        this.#compareStatement(statement, makers, contents, report);
    return this.#faults;
  }

  /** What each version holds, if its maker and those before it are known; otherwise what the first read of it found. */
  #expectedContents(makers: VersionMakers): Map<number, readonly Run[]> {
    const contents = new Map<number, readonly Run[]>();
    const found = new Map<number, readonly Run[]>();
    for (const { kind, outcome, version, content } of this.#operations)
      if (kind === 'read' && outcome === 'ok' && version !== undefined && content && !found.has(version))
        found.set(version, content);
    for (const version of [...new Set([...makers.versions(), ...found.keys()])].sort((a, b) => a - b)) {
      const maker = makers.of(version);
      const before = contents.get(version - 1);
      const own: Run | null = maker ? [maker.id, 0, (maker.rows ?? 0) - 1] : null;
      if (own && maker?.kind !== 'append') contents.set(version, [own]);
      else if (own && before) contents.set(version, [...before, own]);
      else {
        const read = found.get(version);
        if (read) contents.set(version, read);
      }
    }
    return contents;
  }

  #compareRead(read: Operation, contents: Map<number, readonly Run[]>, report: Report): void {
    const expected = contents.get(read.version ?? 0);
    if (!expected || !read.content) return;
    this.compared += 1;
    if (isDeepEqual(expected, read.content)) return;
    const found = new Set(read.content.map(([id]) => id));
    const missing = expected.filter(([id]) => !found.has(id));
    const what = `version ${read.version}: read ${textOf(read.content)}, written ${textOf(expected)}`;
    report(missing.length > 0 ? 'lost' : 'wrong', what);
  }

  /** SQL must have read one version: one that was not yet replaced when the statement was sent, or a later one. */
  #compareStatement(
    statement: Operation,
    makers: VersionMakers,
    contents: Map<number, readonly Run[]>,
    report: Report,
  ): void {
    const least = makers.acknowledgedBefore(statement.invoked);
    const most = makers.begunBefore(statement.answered);
    const answer = new Set((statement.content ?? []).map(String));
    let hasUnknown = makers.hasUnknown();
    for (let version = Math.max(1, least); version <= most; version++) {
      const content = contents.get(version);
      if (!content) {
        hasUnknown = true;
        continue;
      }
      if (content.length === answer.size && content.every((run) => answer.has(String(run)))) {
        this.compared += 1;
        return;
      }
    }
    if (hasUnknown) return;
    this.compared += 1;
    report(
      'wrong',
      `${statement.id}: SQL found ${textOf(statement.content ?? [])}, as in none of the versions ${least} to ${most}`,
    );
  }
}

export type Report = (kind: Fault['kind'], detail: string) => void;

function isDeepEqual(left: readonly Run[], right: readonly Run[]): boolean {
  return left.length === right.length && left.every((run, index) => String(run) === String(right[index]));
}

/** The last runs say most, and there may be hundreds. */
function textOf(content: readonly Run[]): string {
  const shown = content.slice(-6).map(([id, first, last]) => `${id}[${first}..${last}]`);
  return `${content.length > 6 ? `${content.length - 6} more, ` : ''}${shown.join(' ') || 'nothing'}`;
}
