import { waitingFor } from '../../base/request-time.ts';
import type { Frames } from '../../frames/frames.ts';
import type { TranscodedVersion } from '../../frames/parts/statement-transcoding.ts';
import type { VersionOpener } from '../../frames/parts/version-opener.ts';
import { againIfPruned } from '../../frames/reading/again-if-pruned.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError, isAbsent } from '../../model/errors.ts';
import type { StoredObject, VersionRecord } from '../../model/version.ts';
import type { EngineTable, StatementShape } from '../../ports/engine.ts';
import { upstreamTable } from '../../ports/engine.ts';
import { findFrame } from './find-frame.ts';
import type { UpstreamTables } from './upstream-tables.ts';

/** Rows of the external database, as tables for a statement. */
type UpstreamSource = Pick<UpstreamTables, 'fetch' | 'describe'>;

export interface StatementTablesDependencies {
  readonly frames: Frames;
  readonly versions: VersionOpener;
  readonly upstream: UpstreamSource;
}

/** What a statement reads, from the moment its names were found to its end. */
export interface StatementTables {
  readonly tables: readonly EngineTable[];
  /** Of the frames, in the order of `StatementShape.tables`. */
  readonly records: readonly VersionRecord[];
  readonly objects: readonly StoredObject[];
  release(): Promise<void>;
}

interface OpenTable {
  readonly table: EngineTable;
  readonly record: VersionRecord | null;
  readonly objects: readonly StoredObject[];
  release(): Promise<void> | void;
}

/** More than a person writes or joins in one statement; each is looked up, held and given to the engine. */
const tablesMax = 1_000;
/** Each needs a few requests to the catalog, whose queue all callers share. */
const openingMax = 8;
/** All schemas of a statement are in memory at once, here and in the engine; one of ten thousand columns has about a megabyte. */
const schemaBytesMax = 64 * 1024 * 1024;

/**
 * Opens everything that a statement reads, some at a time. `rows` false: of the external database, only the columns are fetched.
 */
export async function openTables(
  dependencies: StatementTablesDependencies,
  caller: Caller,
  shape: StatementShape,
  rows: boolean,
  signal: AbortSignal,
): Promise<StatementTables> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  checkCount(shape);
  const waiting = [
    ...shape.tables.map((name) => () => openFrame(dependencies, caller, name, signal, both)),
    ...shape.upstreamQueries.map(
      (query, index) => () => openUpstream(dependencies.upstream, caller, query, index, rows, both),
    ),
  ].entries();
  const open: OpenTable[] = [];
  const failures: unknown[] = [];
  let schemaBytes = 0;
  const openers = Array.from({ length: openingMax }, async () => {
    for (const [index, openNext] of waiting)
      try {
        both.throwIfAborted();
        const opened = await openNext();
        open[index] = opened;
        schemaBytes += opened.table.schemaMessage.byteLength;
        if (schemaBytes > schemaBytesMax) throw schemasTooLarge();
      } catch (error) {
        // What another has stopped says nothing, but which of two missing frames is named must not depend on the faster look-up.
        if (!stop.signal.aborted || isAbsent(error)) failures[index] = error;
        stop.abort();
        return;
      }
  });
  await Promise.all(openers);
  const [failure] = Object.values(failures);
  if (failure === undefined)
    return {
      tables: open.map(({ table }) => table),
      records: open.flatMap(({ record }) => record ?? []),
      objects: open.flatMap(({ objects }) => objects),
      release: async () => {
        await Promise.all(open.map((each) => each.release()));
      },
    };
  // By what was opened, not by index: the list may have gaps.
  for (const opened of Object.values(open)) await opened.release();
  throw failure;
}

function checkCount({ tables, upstreamQueries }: StatementShape): void {
  const count = tables.length + upstreamQueries.length;
  if (count <= tablesMax) return;
  throw new FrameholdError(
    'sql_invalid',
    `The statement reads ${count} tables; at most ${tablesMax} are allowed.`,
    { hint: 'Append rows that belong together to one frame, or ask in several statements.' },
  );
}

function schemasTooLarge(): FrameholdError {
  return new FrameholdError(
    'sql_memory',
    `The schemas of the statement's tables have more than ${schemaBytesMax} bytes.`,
    { hint: 'Read fewer frames in one statement, or put them again with less metadata in their schemas.' },
  );
}

function openFrame(
  { frames, versions }: StatementTablesDependencies,
  caller: Caller,
  name: string,
  signal: AbortSignal,
  stopped: AbortSignal,
): Promise<OpenTable> {
  return againIfPruned(
    () => findFrame(frames, caller, name, signal),
    async (record) => {
      const opened = await versions.open(record, stopped);
      const { objects, release } = opened;
      return { table: engineTable(name, record, opened), record, objects, release };
    },
  );
}

/** A version, or some of its rows, as the engine reads it. */
export function engineTable(
  name: string,
  { schema }: VersionRecord,
  { files, cut }: Pick<TranscodedVersion, 'files' | 'cut'>,
): EngineTable {
  return { name, schemaMessage: schema.message, files, ...(cut === undefined ? {} : { cut }) };
}

async function openUpstream(
  upstream: UpstreamSource,
  caller: Caller,
  query: string,
  index: number,
  rows: boolean,
  signal: AbortSignal,
): Promise<OpenTable> {
  const fetched = await waitingFor(
    'engine',
    rows ? upstream.fetch(caller, query, signal) : upstream.describe(caller, query, signal),
  );
  const { schemaMessage, files } = fetched;
  return {
    table: { name: upstreamTable(index), schemaMessage, files },
    record: null,
    objects: [],
    release: () => fetched.release(),
  };
}
