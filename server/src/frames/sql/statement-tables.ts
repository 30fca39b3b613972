import type { Caller } from '../caller.ts';
import { FrameholdError } from '../errors.ts';
import type { Frames } from '../frames.ts';
import type { EngineTable, StatementShape } from '../ports/engine.ts';
import { upstreamTable } from '../ports/engine.ts';
import type { StoredObject, VersionRecord } from '../version.ts';
import { findFrame, sourceOf } from './find-frame.ts';
import type { SettledVersions } from './settled-versions.ts';
import type { UpstreamTables } from './upstream-tables.ts';

/** Rows of the external database, as tables for a statement. */
type UpstreamSource = Pick<UpstreamTables, 'fetch' | 'describe'>;

export interface StatementTablesParts {
  readonly frames: Frames;
  readonly versions: SettledVersions;
  readonly upstream: UpstreamSource;
}

/** What a statement reads, from the moment its names were found to its end. */
export interface StatementTables {
  readonly tables: readonly EngineTable[];
  /** `name@version` of the frames. */
  readonly sources: readonly string[];
  readonly objects: readonly StoredObject[];
  release(): Promise<void>;
}

interface OpenTable {
  readonly table: EngineTable;
  readonly record: VersionRecord | null;
  readonly objects: readonly StoredObject[];
  release(): Promise<void> | void;
}

/** A version may be pruned between its name and its parts: then the name has a newer one. */
const findTriesMax = 3;

/**
 * Opens everything that a statement reads, at the same time. `rows` false: only what the columns are is wanted of the external database.
 */
export async function openTables(
  parts: StatementTablesParts,
  caller: Caller,
  shape: StatementShape,
  rows: boolean,
  signal: AbortSignal,
): Promise<StatementTables> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const opening = [
    ...shape.tables.map((name) => openFrame(parts, caller, name, both)),
    ...shape.upstreamQueries.map((query, index) =>
      openUpstream(parts.upstream, caller, query, index, rows, both),
    ),
  ];
  try {
    const open = await Promise.all(opening);
    return {
      tables: open.map(({ table }) => table),
      sources: [...new Set(open.flatMap(({ record }) => (record === null ? [] : [sourceOf(record)])))],
      objects: open.flatMap(({ objects }) => objects),
      release: async () => {
        await Promise.all(open.map((each) => each.release()));
      },
    };
  } catch (error) {
    stop.abort();
    for (const outcome of await Promise.allSettled(opening))
      if (outcome.status === 'fulfilled') await outcome.value.release();
    throw error;
  }
}

async function openFrame(
  { frames, versions }: StatementTablesParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<OpenTable> {
  for (let tries = 1; ; tries++) {
    const record = await findFrame(frames, caller, name, signal);
    try {
      const { files, objects, release } = await versions.open(record, signal);
      return { table: { name, schemaMessage: record.schema.message, files }, record, objects, release };
    } catch (error) {
      const pruned =
        error instanceof FrameholdError && (error.kind === 'frame_gone' || error.kind === 'frame_not_found');
      if (!pruned || tries >= findTriesMax) throw error;
    }
  }
}

async function openUpstream(
  upstream: UpstreamSource,
  caller: Caller,
  query: string,
  index: number,
  rows: boolean,
  signal: AbortSignal,
): Promise<OpenTable> {
  const { tenant } = caller;
  const fetched = await (rows
    ? upstream.fetch(tenant, query, signal)
    : upstream.describe(tenant, query, signal));
  const { schemaMessage, files } = fetched;
  return {
    table: { name: upstreamTable(index), schemaMessage, files },
    record: null,
    objects: [],
    release: () => fetched.release(),
  };
}
