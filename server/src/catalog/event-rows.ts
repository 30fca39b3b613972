import type { EventFrame, EventPage, FrameEvent, FrameEventKind } from '../ports/catalog/events.ts';

/** An event as a table has it. */
export interface EventRow {
  readonly seq: number;
  readonly mark: number | null;
  readonly kind: FrameEventKind;
  readonly at: number;
  readonly data: string;
}

export function eventOf({ seq, mark, kind, at, data }: EventRow): FrameEvent {
  return { seq, mark, kind, at, frame: JSON.parse(data) as EventFrame };
}

/** The head of a tenant's events, and the mark of the event that a caller knows. */
export interface EventHead {
  readonly last: number;
  readonly lastMark: number | null;
  readonly oldest: number | null;
  /** null if that event is not kept, or has none. */
  readonly knownMark: number | null;
}

/** What a page says beside its events. What has no mark cannot be compared. */
export function pageHead(
  head: EventHead | undefined,
  after: number,
  mark: number | null,
): Omit<EventPage, 'events'> {
  const { last = 0, lastMark = null, knownMark = null } = head ?? {};
  const kept = after === last ? lastMark : knownMark;
  const isContinued = after <= last && (mark === null || kept === null || kept === mark);
  return { last, lastMark, oldest: head?.oldest ?? last + 1, isContinued };
}
