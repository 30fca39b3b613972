import type { Caller } from '../../model/caller.ts';
import type { StreamEnd } from '../../model/stream-end.ts';

/** What happens to the frames and statements of the caller's tenant, as it happens. */
export interface Events {
  /**
   * Begins after this event; null: with what happens from now on. rate_limited or overloaded if too many streams are open.
   * Ends when the signal aborts.
   */
  subscribe(caller: Caller, after: EventId | null, signal: AbortSignal): Promise<EventStream>;
  /** Ends all streams and accepts no more: the server stops. */
  stop(): void;
  /** How many streams are open. */
  readonly open: number;
}

/** Iterates over what has happened since the last step: the reader's pace decides how much that is. */
export interface EventStream extends AsyncIterable<readonly StreamedEvent[]> {
  /** Aborts when the stream has ended, also while its reader is busy with what it got. */
  readonly ended: AbortSignal;
  /** Safe at any time; the first reason counts. */
  end(reason: StreamEnd): void;
}

/** The number of an event of a tenant, and what tells it from events of other histories with that number; null: nothing does. */
export interface EventId {
  readonly seq: number;
  readonly mark: number | null;
}

export interface StreamedEvent {
  /** Where a later stream can continue; null for what is not kept. */
  readonly id: EventId | null;
  readonly kind: string;
  /** JSON, in one line. */
  readonly data: string;
}
