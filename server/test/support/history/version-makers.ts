import type { Report } from './frame-history.ts';
import type { Operation } from './operation.ts';

/** Which write made which version: as its client was told or, if it was not, as the last rows of the version say. */
export class VersionMakers {
  readonly #makers = new Map<number, Operation>();
  readonly #writes = new Map<string, Operation>();
  readonly #versions = new Map<string, number>();
  readonly #acknowledged: readonly { readonly at: number; readonly version: number }[];
  readonly #unknown: number;

  constructor(operations: readonly Operation[], report: Report) {
    const writes = operations.filter(isWrite);
    for (const write of writes) this.#writes.set(write.id, write);
    for (const write of writes) {
      if (write.outcome !== 'ok' || write.version === undefined) continue;
      const other = this.#makers.get(write.version);
      if (other) report('doubled', `${other.id} and ${write.id} were both told version ${write.version}`);
      this.#assign(write, write.version);
      if (write.ifVersion !== undefined && write.version !== write.ifVersion + 1)
        report('wrong', `${write.id} replaced version ${write.ifVersion} and made version ${write.version}`);
    }
    for (const read of operations)
      if (read.kind === 'read' && read.outcome === 'ok') this.#learn(read, report);
    this.#unknown = writes.filter(
      ({ id, outcome }) => outcome === 'unknown' && !this.#versions.has(id),
    ).length;
    let highest = 0;
    this.#acknowledged = writes
      .filter(({ outcome }) => outcome === 'ok')
      .sort((a, b) => a.answered - b.answered)
      .map((write) => {
        highest = Math.max(highest, write.version ?? 0);
        return { at: write.answered, version: highest };
      });
  }

  of(version: number): Operation | undefined {
    return this.#makers.get(version);
  }

  versions(): Iterable<number> {
    return this.#makers.keys();
  }

  /** Whether a write without an answer may have made a version that nobody read. */
  hasUnknown(): boolean {
    return this.#unknown > 0;
  }

  /** The newest version that was acknowledged before a moment. */
  acknowledgedBefore(moment: number): number {
    return this.#acknowledged.findLast(({ at }) => at < moment)?.version ?? 0;
  }

  /** The newest version whose write was begun before a moment. */
  begunBefore(moment: number): number {
    let newest = 0;
    for (const [version, { invoked }] of this.#makers)
      if (invoked < moment && version > newest) newest = version;
    return newest;
  }

  #assign(write: Operation, version: number): void {
    this.#makers.set(version, write);
    this.#versions.set(write.id, version);
  }

  /** Each run of rows must be one whole write, each write once, and the last one is what made the version. */
  #learn({ version, content }: Operation, report: Report): void {
    if (version === undefined || !content) return;
    const seen = new Set<string>();
    for (const [index, [id, first, last]] of content.entries()) {
      const write = this.#writes.get(id);
      if (!write) report('wrong', `version ${version} has rows of ${id}, which nobody wrote here`);
      else if (write.outcome === 'refused' || write.outcome === 'absent')
        report('wrong', `version ${version} has rows of ${id}, which was refused`);
      else if (seen.has(id)) report('doubled', `version ${version} has the rows of ${id} more than once`);
      else if (first !== 0 || last !== (write.rows ?? 0) - 1)
        report(
          'wrong',
          `version ${version} has rows ${first} to ${last} of ${id}, which wrote ${write.rows}`,
        );
      else if ((write.kind === 'append') !== index > 0)
        report('wrong', `version ${version} has the ${write.kind} ${id} at place ${index}`);
      seen.add(id);
    }
    const maker = this.#writes.get(content.at(-1)?.[0] ?? '');
    if (maker) this.#learnMaker(maker, version, report);
    const start = this.#versions.get(content[0]?.[0] ?? '');
    if (start !== undefined && content.length < version - start + 1)
      report(
        'lost',
        `version ${version} has ${content.length} of the ${version - start + 1} writes since version ${start}`,
      );
  }

  #learnMaker(maker: Operation, version: number, report: Report): void {
    const known = this.#versions.get(maker.id);
    const other = this.#makers.get(version);
    if (known !== undefined && known !== version)
      report(
        version > known ? 'doubled' : 'wrong',
        `${maker.id} made version ${known}, and version ${version} ends with its rows`,
      );
    else if (other && other.id !== maker.id)
      report('wrong', `version ${version} was made by ${other.id} and ends with the rows of ${maker.id}`);
    else this.#assign(maker, version);
  }
}

export function isWrite({ kind }: Operation): boolean {
  return kind === 'create' || kind === 'replace' || kind === 'append';
}
