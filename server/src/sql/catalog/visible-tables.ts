import { everyFrame } from '../../frames/every-frame.ts';
import type { Frames } from '../../frames/frames.ts';
import type { Sharing } from '../../frames/sharing/sharing.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { SchemaRecord, VersionRecord, VersionSummary } from '../../model/version.ts';
import type { NamePattern } from './name-pattern.ts';

export interface VisibleTablesDependencies {
  readonly frames: Pick<Frames, 'names' | 'list'>;
  readonly sharing: Pick<Sharing, 'sharedWithMe'>;
}

/** A frame at its newest version, as every catalog of SQL shows it. */
export interface VisibleTable {
  /** The tenant that it belongs to. */
  readonly owner: string;
  readonly name: string;
  /** Another tenant shares it with the caller: it can only be read. */
  readonly isShared: boolean;
  /** Its columns and their types; null if they were not wanted. */
  readonly schema: SchemaRecord | null;
}

export interface TablesWanted {
  /** null: all. */
  readonly names: NamePattern | null;
  /** Not only the caller's own, but also what others share with it. */
  readonly shared: boolean;
  readonly schemas: boolean;
}

/** Requests to the catalog at once: all callers share its queue. */
const pageLimit = 500;
/** A pattern that begins with anything else matches no name. */
const prefixPattern = /^[A-Za-z0-9_.-]{0,128}$/;
/** More than a person reads as a list; a program that wants them all uses pages. */
const tablesMax = 10_000;
/** Of all their schemas together, as a statement's own tables may have. */
const schemaBytesMax = 64 * 1024 * 1024;

/**
 * The tables that a caller may see: its own by name, then those that others share with it, by owner and name. They come page by page, because there may be a
 * million. `information_schema` and Flight SQL's metadata are made of these.
 */
export async function* visibleTables(
  dependencies: VisibleTablesDependencies,
  caller: Caller,
  wanted: TablesWanted,
  signal: AbortSignal,
): AsyncGenerator<VisibleTable, void, void> {
  const prefix = wanted.names?.prefix ?? '';
  if (!prefixPattern.test(prefix)) return;
  for await (const table of ownTables(dependencies, caller, prefix, wanted, signal))
    if (isWanted(table, wanted)) yield table;
  if (!wanted.shared) return;
  for await (const table of sharedTables(dependencies, caller, wanted, signal))
    if (isWanted(table, wanted)) yield table;
}

/** For who must hold all of them in memory: sql_memory if they are too many, or their schemas too large. */
export async function listTables(
  dependencies: VisibleTablesDependencies,
  caller: Caller,
  wanted: TablesWanted,
  signal: AbortSignal,
): Promise<readonly VisibleTable[]> {
  const found: VisibleTable[] = [];
  let schemaBytes = 0;
  for await (const table of visibleTables(dependencies, caller, wanted, signal)) {
    signal.throwIfAborted();
    found.push(table);
    schemaBytes += table.schema?.message.byteLength ?? 0;
    if (found.length > tablesMax || schemaBytes > schemaBytesMax) throw tooMany();
  }
  return found;
}

function isWanted({ name }: VisibleTable, { names }: TablesWanted): boolean {
  return names === null || names.matches(name);
}

async function* ownTables(
  { frames }: VisibleTablesDependencies,
  caller: Caller,
  prefix: string,
  { schemas }: TablesWanted,
  signal: AbortSignal,
): AsyncGenerator<VisibleTable, void, void> {
  const own = { owner: caller.tenant, isShared: false };
  if (schemas) {
    for await (const { name, schema } of everyFrame(frames, caller, { prefix, limit: pageLimit }, signal))
      yield { ...own, name, schema };
    return;
  }
  for (let after: string | null = null; ; ) {
    const page: readonly string[] = await frames.names(caller, { prefix, after, limit: pageLimit }, signal);
    for (const name of page) yield { ...own, name, schema: null };
    const last = page.at(-1);
    if (last === undefined || page.length < pageLimit) return;
    after = last.toLowerCase();
  }
}

async function* sharedTables(
  { sharing }: VisibleTablesDependencies,
  caller: Caller,
  { schemas }: TablesWanted,
  signal: AbortSignal,
): AsyncGenerator<VisibleTable, void, void> {
  for (let after: { tenant: string; name: string } | null = null; ; ) {
    const page: readonly (VersionRecord | VersionSummary)[] = await sharing.sharedWithMe<boolean>(
      caller,
      { after, limit: pageLimit, schemas },
      signal,
    );
    for (const each of page)
      yield {
        owner: each.tenant,
        name: each.name,
        isShared: true,
        schema: 'schema' in each ? each.schema : null,
      };
    const last = page.at(-1);
    // A page with schemas may be shorter than the limit.
    if (last === undefined || (!schemas && page.length < pageLimit)) return;
    after = { tenant: last.tenant, name: last.name };
  }
}

function tooMany(): FrameholdError {
  return new FrameholdError(
    'sql_memory',
    `There are more than ${tablesMax} frames, or their schemas have more than ${schemaBytesMax} bytes: SQL does not list so many.`,
    { hint: 'GET /v1/frames lists frames in pages, by prefix; DESCRIBE name shows the columns of one.' },
  );
}
