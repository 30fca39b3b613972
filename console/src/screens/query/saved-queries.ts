import type { SavedQuery } from '@framehold/client';
import { signal } from '@preact/signals';
import { api } from '../../server/api.ts';

/** The tenant's saved queries, as last read; null before that. */
export const savedQueries = signal<readonly SavedQuery[] | null>(null);

export async function readSavedQueries(): Promise<void> {
  const queries = await api.saved.list();
  savedQueries.value = queries.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Saves under the new name first: if the second step fails, nothing is lost. */
export async function renameSavedQuery(query: SavedQuery, name: string): Promise<void> {
  await api.saved.save(name, query.sql);
  await api.saved.remove(query.name);
  await readSavedQueries();
}
