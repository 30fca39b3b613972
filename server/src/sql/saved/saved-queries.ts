import type { Caller } from '../../model/caller.ts';
import type { SavedQuery } from '../../ports/catalog/queries.ts';

/** Statements that a tenant has given a name. Saving one neither checks nor runs it. */
export interface SavedQueries {
  /** Sorted by name. */
  list(caller: Caller): Promise<readonly SavedQuery[]>;
  /** Replaces one of the same name. bad_request for a name that is not usable; body_too_large; quota_exceeded. */
  save(
    caller: Caller,
    name: string,
    sql: string,
  ): Promise<{ readonly query: SavedQuery; readonly isCreated: boolean }>;
  /** query_not_found. */
  remove(caller: Caller, name: string): Promise<void>;
}
