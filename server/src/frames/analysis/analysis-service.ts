import { SharedWork } from '../../base/shared-work.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Handle } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { OwnStatements } from '../../ports/version-statements.ts';
import { type AccessGuard, foundTarget } from '../access/access-guard.ts';
import type { Frames } from '../frames.ts';
import { columnIndices } from '../reading/column-indices.ts';
import type { Analysis, DiffTarget, FrameDiff, FrameStatistics } from './analysis.ts';
import { ColumnStatisticsRun } from './column-statistics.ts';
import { compareRows } from './row-change.ts';
import { compareColumns } from './schema-change.ts';
import { type StatisticsByColumn, StoredStatistics } from './stored-statistics.ts';

export interface AnalysisServiceDependencies {
  readonly frames: Pick<Frames, 'resolve'>;
  readonly catalog: Pick<Catalog, 'parts' | 'statistics' | 'keepStatistics'>;
  readonly statements: OwnStatements;
  readonly access: AccessGuard;
}

/** Columns of one request: a statement names all columns of the frame, and the answer has some kilobytes for each. */
const columnsMax = 10_000;

export class AnalysisService implements Analysis {
  readonly #dependencies: AnalysisServiceDependencies;
  readonly #kept: StoredStatistics;
  readonly #computing = new SharedWork<StatisticsByColumn>();
  readonly #comparing = new SharedWork<FrameDiff>();

  constructor(dependencies: AnalysisServiceDependencies) {
    this.#dependencies = dependencies;
    this.#kept = new StoredStatistics(dependencies.catalog);
  }

  async statistics(
    caller: Caller,
    handle: Handle,
    columns: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<FrameStatistics> {
    const { access, frames } = this.#dependencies;
    const record = await frames.resolve(caller, handle, signal);
    access.check(caller, 'frame.statistics', foundTarget(caller, record));
    const wanted =
      columns === null ? record.schema.columns.map((_, index) => index) : columnIndices(record, columns);
    checkCount(record, wanted.length);
    const known = await this.#kept.find(record);
    const missing = [...new Set(wanted)].filter((index) => !known.has(index)).sort((a, b) => a - b);
    const found = missing.length === 0 ? known : await this.#compute(caller, record, missing, signal);
    return {
      handle: handleTextOf(record),
      rows: record.rows,
      columns: wanted.flatMap((index) => found.get(index) ?? known.get(index) ?? []),
    };
  }

  async diff(caller: Caller, target: DiffTarget, signal: AbortSignal): Promise<FrameDiff> {
    const { access, frames } = this.#dependencies;
    const { handle } = target;
    const to = await frames.resolve(caller, { ...handle, version: target.to }, signal);
    access.check(caller, 'frame.diff', foundTarget(caller, to));
    const from = await frames.resolve(caller, { ...handle, version: target.from }, signal);
    const key = JSON.stringify([caller.tenant, from.versionId, to.versionId]);
    return this.#comparing.run(key, signal, async (during) => {
      const schemas = compareColumns(from.schema, to.schema);
      const rows = await compareRows(this.#dependencies, caller, from, to, schemas, during);
      return { from: from.version, to: to.version, schema: schemas.change, rows };
    });
  }

  /** Callers that want the same columns at the same time share the work. It stops when none of them waits any more. */
  #compute(
    caller: Caller,
    record: VersionRecord,
    missing: readonly number[],
    signal: AbortSignal,
  ): Promise<StatisticsByColumn> {
    // Only callers of one tenant: the work counts as a statement of that tenant, which may cancel it.
    const key = JSON.stringify([caller.tenant, record.versionId, missing]);
    return this.#computing.run(key, signal, async (during) => {
      const run = new ColumnStatisticsRun(this.#dependencies.statements, caller, record, during);
      const columns = await run.columns(missing);
      const found = new Map(columns.map((column, place) => [missing[place] as number, column]));
      await this.#kept.add(record, found);
      return found;
    });
  }
}

function checkCount({ name }: VersionRecord, count: number): void {
  if (count <= columnsMax) return;
  throw new FrameholdError(
    'bad_request',
    `Statistics of ${count} columns of ${name} were requested; at most ${columnsMax} are possible.`,
    { hint: 'Select the columns that you need with columns=.' },
  );
}
