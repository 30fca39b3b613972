import type { TenantPlaces } from '../../model/limits/tenant-places.ts';
import { type SentText, textKey } from '../../model/sent-text.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { BoundStatement, EngineStatement } from '../../ports/engine.ts';
import type { StatementTables } from '../tables/statement-tables.ts';
import { versionsKey } from './statement-key.ts';

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

interface Held {
  readonly ready: ReadyStatement;
  readonly timer: NodeJS.Timeout;
  /** Leaves its tenant's place; null if that was handed over. */
  leave: (() => void) | null;
  /** Its place is not spare any more. */
  readonly keepPlace: () => void;
}

/**
 * As many as there are places in the engine, since each has one; it has one of its tenant's as well. Each is given up when nobody comes for it, and at once when its
 * tenant is at its limit, or any statement waits for a place in the engine.
 */
export class BoundStatements {
  readonly #held = new Map<string, Held>();
  readonly #places: TenantPlaces;
  readonly #heldMs: number;

  constructor(places: TenantPlaces, heldMs: number = heldMsDefault) {
    this.#places = places;
    this.#heldMs = heldMs;
  }

  /** `leave`: out of the tenant's place that it was described in. One that is held for the same text goes. */
  hold(text: SentText, ready: ReadyStatement, leave: () => void): void {
    const key = textKey(text);
    const earlier = this.#held.get(key);
    if (earlier !== undefined) this.#giveUp(key, earlier);
    const giveUp = () => this.#giveUp(key, held);
    const held: Held = {
      ready,
      timer: setTimeout(giveUp, this.#heldMs),
      leave,
      keepPlace: this.#places.spare(text.tenant, giveUp),
    };
    this.#held.set(key, held);
    ready.statement.spare?.(giveUp);
  }

  /** For the call that is about to take it: the tenant's place that it has. When the call leaves that, what it has not taken is closed. */
  handOver(text: SentText): (() => void) | null {
    const key = textKey(text);
    const held = this.#held.get(key);
    if (held === undefined || held.leave === null) return null;
    const { leave } = held;
    held.leave = null;
    held.keepPlace();
    return () => {
      this.#giveUp(key, held);
      leave();
    };
  }

  /** After `handOver`. Whoever takes it closes it. */
  take(text: SentText): ReadyStatement | null {
    const key = textKey(text);
    const held = this.#held.get(key);
    // Its place is another call's, or would be left by nobody.
    if (held === undefined || held.leave !== null) return null;
    this.#remove(key, held);
    return held.ready;
  }

  /** False if it was taken. Its place is free in the same turn: its tenant's next call may follow. */
  #giveUp(key: string, held: Held): boolean {
    if (this.#held.get(key) !== held) return false;
    this.#remove(key, held);
    closeLater(held.ready);
    held.leave?.();
    return true;
  }

  #remove(key: string, { timer, keepPlace }: Held): void {
    clearTimeout(timer);
    keepPlace();
    this.#held.delete(key);
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
