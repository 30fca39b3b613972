import type { Caller } from '../../model/caller.ts';
import type { CatalogFrame, CatalogView } from '../../ports/engine.ts';
import { listTables, type VisibleTablesDependencies } from './visible-tables.ts';

/** What the views of `information_schema` in a statement are made of. */
export async function framesOfViews(
  dependencies: VisibleTablesDependencies,
  caller: Caller,
  views: readonly CatalogView[],
  signal: AbortSignal,
): Promise<readonly CatalogFrame[]> {
  const schemas = views.includes('columns');
  if (!schemas && !views.includes('tables')) return [];
  const tables = await listTables(dependencies, caller, { names: null, shared: true, schemas }, signal);
  return tables.map(({ owner, name, isShared, schema }) => ({
    name: isShared ? `${owner}:${name}` : name,
    schemaMessage: schema?.message ?? null,
  }));
}
