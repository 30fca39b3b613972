import type { Origin } from '../../model/version.ts';

/** What happened to the frames of each tenant, for those who want to see it as it happens. */
export interface EventCatalog {
  /**
   * Events of a tenant after this number, oldest first. Each is written in the transaction of its change, and each tenant has numbers of its
   * own, without gaps. Kept for an hour, and at most about 10,000 for each tenant. `mark` is that of the event `after`, if the caller knows it.
   */
  events(tenant: string, after: number, limit: number, mark?: number | null): Promise<EventPage>;
  /**
   * Calls back after changes, with the tenants that may have new events. Returns the function that ends it. A catalog that several processes
   * change calls back for the changes of all of them, but of other processes' only for the tenants that are `watched` at the time.
   */
  watchEvents(listener: (tenants: readonly string[]) => void, watched: () => Iterable<string>): () => void;
}

export interface EventPage {
  readonly events: readonly FrameEvent[];
  /** The number of the newest event of the tenant; 0 if there was none. It never decreases, unless the catalog was restored. */
  readonly last: number;
  /** Of the newest event. */
  readonly lastMark: number | null;
  /** The number of the oldest event that is kept; `last + 1` if none is. */
  readonly oldest: number;
  /** False if the event that the caller knows is of another history: this one has none of its number, or another one. */
  readonly isContinued: boolean;
}

export type FrameEventKind =
  | 'frame.created'
  | 'frame.replaced'
  | 'frame.appended'
  | 'frame.restored'
  | 'frame.expired'
  | 'frame.dropped'
  | 'frame.undropped'
  /** Every part of the newest version has a Parquet form, or was refused one. Again after parts were compacted. */
  | 'frame.settled'
  /** Nothing of its rows: see `change`. */
  | 'frame.changed';

export interface FrameEvent {
  readonly seq: number;
  /** Chance, by which it is told from an event of another history with the same number; null if it was made before there were any. */
  readonly mark: number | null;
  readonly kind: FrameEventKind;
  /** When the change was made. */
  readonly at: number;
  readonly frame: EventFrame;
}

/** The frame after the change. */
export interface EventFrame {
  readonly name: string;
  /** The newest version; of a frame that has ended, its last. */
  readonly version: number;
  /** These are absent if the frame has ended, or if only its shares have changed. */
  readonly rows?: number;
  readonly bytes?: number;
  readonly expiresAt?: number | null;
  readonly origin?: Pick<Origin, 'kind' | 'format' | 'from'>;
  /** Only of `frame.changed`. `version`: one version of several was dropped. */
  readonly change?: 'expiry' | 'notes' | 'shares' | 'tags' | 'version' | 'versionsKeep';
  /** The version that was dropped. */
  readonly dropped?: number;
}
