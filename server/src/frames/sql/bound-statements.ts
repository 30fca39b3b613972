import type { BoundStatement, EngineStatement } from '../ports/engine.ts';
import type { VersionRecord } from '../version.ts';
import { type SentText, textKey, versionsKey } from './statement-key.ts';
import type { StatementTables } from './statement-tables.ts';

/** A statement that has its tables and waits to be run. */
export interface ReadyStatement {
  readonly statement: EngineStatement;
  readonly tables: StatementTables;
  readonly bound: BoundStatement;
  /** Ends it, as the signal does that it was begun with. */
  readonly stop: AbortController;
}

/**
 * Clients of Flight ask for the columns of a query, and for its rows right after. For that moment the statement that was bound for the first call stays, so
 * that the second one need not bind it again. Longer than two calls in one data centre take, and short enough for whoever waits for its place.
 */
const heldMsDefault = 100;

/** As many as there are places in the engine, since each has one. Those that nobody comes for are closed. */
export class BoundStatements {
  readonly #held = new Map<string, { readonly ready: ReadyStatement; readonly timer: NodeJS.Timeout }>();
  readonly #heldMs: number;

  constructor(heldMs: number | undefined) {
    this.#heldMs = heldMs ?? heldMsDefault;
  }

  /** One that is held for the same text goes. */
  hold(text: SentText, ready: ReadyStatement): void {
    const key = textKey(text);
    const earlier = this.#remove(key);
    if (earlier !== null) closeLater(earlier);
    const timer = setTimeout(() => {
      this.#held.delete(key);
      closeLater(ready);
    }, this.#heldMs);
    this.#held.set(key, { ready, timer });
  }

  /** Whoever takes it closes it. */
  take(text: SentText): ReadyStatement | null {
    return this.#remove(textKey(text));
  }

  #remove(key: string): ReadyStatement | null {
    const held = this.#held.get(key);
    if (held === undefined) return null;
    clearTimeout(held.timer);
    this.#held.delete(key);
    return held.ready;
  }
}

/** Whether it would read these versions. */
export function reads(
  { tables }: ReadyStatement,
  text: SentText,
  records: readonly VersionRecord[],
): boolean {
  return versionsKey(text, tables.records) === versionsKey(text, records);
}

async function closeReady({ statement, tables }: ReadyStatement): Promise<void> {
  try {
    await statement.close();
  } finally {
    await tables.release();
  }
}

function closeLater(ready: ReadyStatement): void {
  closeReady(ready).catch(() => {});
}
