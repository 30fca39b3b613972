import type { EventFrame, FrameEvent, FrameEventKind } from '../frames/ports/catalog/events.ts';
import { restoredFromOf, type WireRecord } from './wire.ts';

/** An event as a table has it. */
export interface EventRow {
  readonly seq: number;
  readonly kind: FrameEventKind;
  readonly at: number;
  readonly data: string;
}

export function eventOf({ seq, kind, at, data }: EventRow): FrameEvent {
  return { seq, kind, at, frame: JSON.parse(data) as EventFrame };
}

/** All that a record says of the frame. */
export function eventFrameOf(record: WireRecord, more: Partial<EventFrame>): EventFrame {
  const [, name, version, , , expiresAt, rows, bytes, , kind, format] = record;
  const from = restoredFromOf(record);
  const origin = { kind, format, ...(from === null ? {} : { from }) };
  return { name, version, rows, bytes, expiresAt, origin, ...more };
}
