import type { Caller } from '../../model/caller.ts';
import type { HistoryPage, HistorySlice, NewHistoryEntry } from '../../ports/catalog/queries.ts';

/**
 * The statements that a caller has run, over any listener. A caller is a tenant and the name of a credential or the subject of a JSON Web Token: nobody
 * else sees its statements, which may have secrets in their literals.
 */
export interface History {
  list(caller: Caller, page: HistoryPage): Promise<HistorySlice>;
  clear(caller: Caller): Promise<void>;
}

/** Takes what has ended. It answers at once and never fails: a statement does not wait for its history. */
export interface HistoryRecorder {
  add(entry: NewHistoryEntry): void;
}
