import type { Notes } from '../../frames/notes/notes.ts';
import type { Caller } from '../../model/caller.ts';
import type { FrameNotes } from '../../model/notes.ts';
import type { CatalogFrame, CatalogView } from '../../ports/engine.ts';
import { listTables, type VisibleTablesDependencies } from './visible-tables.ts';

/** In one request to the catalog: all callers share its queue. */
const namesAtOnce = 500;

export interface NotedDependencies {
  readonly notes: Pick<Notes, 'ofOwn'>;
}

/** What the views of `information_schema` in a statement are made of. */
export async function framesOfViews(
  dependencies: VisibleTablesDependencies & NotedDependencies,
  caller: Caller,
  views: readonly CatalogView[],
  signal: AbortSignal,
): Promise<readonly CatalogFrame[]> {
  const schemas = views.includes('columns');
  if (!schemas && !views.includes('tables')) return [];
  const tables = await listTables(dependencies, caller, { names: null, shared: true, schemas }, signal);
  const own = tables.filter(({ isShared }) => !isShared);
  const said = new Map<string, FrameNotes>();
  for (let start = 0; start < own.length; start += namesAtOnce) {
    signal.throwIfAborted();
    const names = own.slice(start, start + namesAtOnce).map(({ name }) => name);
    for (const [index, notes] of (await dependencies.notes.ofOwn(caller, names)).entries())
      if (notes !== null) said.set(names[index] as string, notes);
  }
  return tables.map(({ owner, name, isShared, schema }) => ({
    name: isShared ? `${owner}:${name}` : name,
    schemaMessage: schema?.message ?? null,
    notes: isShared ? null : (said.get(name) ?? null),
  }));
}
