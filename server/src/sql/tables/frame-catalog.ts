import type { Frames } from '../../frames/frames.ts';
import type { Sharing } from '../../frames/sharing/sharing.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { VersionRecord, VersionSummary } from '../../model/version.ts';
import type { CatalogFrame, CatalogView } from '../../ports/engine.ts';

export interface FrameCatalogDependencies {
  readonly frames: Pick<Frames, 'names' | 'list'>;
  readonly sharing: Pick<Sharing, 'sharedWithMe'>;
}

/** More than a person reads as a list; a program that wants them all uses pages. They are in memory here and in the engine. */
const framesMax = 10_000;
/** Of all their schemas together, as a statement's own tables may have. */
const schemaBytesMax = 64 * 1024 * 1024;
/** Requests to the catalog at once: all callers share its queue. */
const pageLimit = 500;

/** What the views of the catalog show to a caller: its own frames at their newest versions, and those that others share with it. */
export async function listCatalog(
  dependencies: FrameCatalogDependencies,
  caller: Caller,
  views: readonly CatalogView[],
  signal: AbortSignal,
): Promise<readonly CatalogFrame[]> {
  const found: CatalogFrame[] = [];
  let schemaBytes = 0;
  const add = (frame: CatalogFrame): void => {
    signal.throwIfAborted();
    found.push(frame);
    schemaBytes += frame.schemaMessage?.byteLength ?? 0;
    if (found.length > framesMax || schemaBytes > schemaBytesMax) throw tooMany();
  };
  if (views.includes('columns'))
    for await (const frame of withSchemas(dependencies, caller, signal)) add(frame);
  else if (views.includes('tables'))
    for await (const frame of namesAlone(dependencies, caller, signal)) add(frame);
  return found;
}

async function* namesAlone(
  { frames, sharing }: FrameCatalogDependencies,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<CatalogFrame, void, void> {
  for (let after: string | null = null; ; ) {
    const names: readonly string[] = await frames.names(
      caller,
      { prefix: '', after, limit: pageLimit },
      signal,
    );
    for (const name of names) yield { name, schemaMessage: null };
    const last = names.at(-1);
    if (last === undefined || names.length < pageLimit) break;
    after = last.toLowerCase();
  }
  for (let after: { tenant: string; name: string } | null = null; ; ) {
    const page: readonly VersionSummary[] = await sharing.sharedWithMe(
      caller,
      { after, limit: pageLimit },
      signal,
    );
    for (const { tenant, name } of page) yield { name: `${tenant}:${name}`, schemaMessage: null };
    const last = page.at(-1);
    if (last === undefined || page.length < pageLimit) return;
    after = { tenant: last.tenant, name: last.name };
  }
}

async function* withSchemas(
  { frames, sharing }: FrameCatalogDependencies,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<CatalogFrame, void, void> {
  for (let after: string | null = null; ; ) {
    const page: readonly VersionRecord[] = await frames.list(
      caller,
      { prefix: '', after, limit: pageLimit, schemas: true },
      signal,
    );
    for (const { name, schema } of page) yield { name, schemaMessage: schema.message };
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.name.toLowerCase();
  }
  for (let after: { tenant: string; name: string } | null = null; ; ) {
    const page: readonly VersionRecord[] = await sharing.sharedWithMe(
      caller,
      { after, limit: pageLimit, schemas: true },
      signal,
    );
    for (const { tenant, name, schema } of page)
      yield { name: `${tenant}:${name}`, schemaMessage: schema.message };
    const last = page.at(-1);
    if (last === undefined) return;
    after = { tenant: last.tenant, name: last.name };
  }
}

function tooMany(): FrameholdError {
  return new FrameholdError(
    'sql_memory',
    `There are more than ${framesMax} frames, or their schemas have more than ${schemaBytesMax} bytes: SQL does not list so many.`,
    { hint: 'GET /v1/frames lists frames in pages, by prefix; DESCRIBE name shows the columns of one.' },
  );
}
