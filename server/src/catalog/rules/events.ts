import type { EventFrame, FrameEventKind } from '../../ports/catalog/events.ts';
import type { LiveName, NameRow } from '../name-rows.ts';
import type { RecordRow } from '../record-rows.ts';

/** What a change reports. It gets its number in the transaction of the change. */
export interface NewEvent {
  readonly tenant: string;
  readonly kind: FrameEventKind;
  readonly frame: EventFrame;
}

/** The newest version of a name, as far as an event tells of it. */
export interface VersionSize {
  readonly version: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface TranscodedRow extends VersionSize {
  readonly tenant: string;
  readonly name: string;
  readonly expires_at: number | null;
}

/** With all that a record says of the frame. */
export function recordEvent(
  kind: FrameEventKind,
  row: RecordRow,
  more: Pick<EventFrame, 'change'> = {},
): NewEvent {
  const { tenant, name, version, rows, bytes, expires_at: expiresAt, restored_from: from } = row;
  const { origin_kind, origin_format: format } = row;
  const origin = { kind: origin_kind, format, ...(from === null ? {} : { from }) };
  return { tenant, kind, frame: { name, version, rows, bytes, expiresAt, origin, ...more } };
}

/** After a setting of a name was set, with its newest version then. Repeating a change is safe, and is no event. */
export function settingEvents<Value>(
  change: 'expiry' | 'versionsKeep',
  [before, after]: readonly [Value, Value],
  newest: readonly RecordRow[],
): readonly NewEvent[] {
  return before === after ? [] : newest.map((row) => recordEvent('frame.changed', row, { change }));
}

export function sharesEvent({ tenant, name, newest: version }: LiveName): NewEvent {
  return { tenant, kind: 'frame.changed', frame: { name, version, change: 'shares' } };
}

export function notesEvent({ tenant, name, newest: version }: LiveName): NewEvent {
  return { tenant, kind: 'frame.changed', frame: { name, version, change: 'notes' } };
}

export function tagsEvent({ tenant, name, newest: version }: LiveName): NewEvent {
  return { tenant, kind: 'frame.changed', frame: { name, version, change: 'tags' } };
}

export function droppedEvent({ tenant, name, newest: version }: LiveName): NewEvent {
  return { tenant, kind: 'frame.dropped', frame: { name, version } };
}

/** The name lives on, with a newest version that may be another one. */
export function versionDroppedEvent(
  { tenant, name, expires_at: expiresAt }: NameRow,
  dropped: number,
  { version, rows, bytes }: VersionSize,
): NewEvent {
  const frame = { name, version, rows, bytes, expiresAt, change: 'version', dropped } as const;
  return { tenant, kind: 'frame.changed', frame };
}

export function expiredEvent({ tenant, name, newest, expires_at: expiresAt }: NameRow): NewEvent {
  return { tenant, kind: 'frame.expired', frame: { name, version: newest ?? 0, expiresAt } };
}

export function transcodedEvent(newest: TranscodedRow): NewEvent {
  const { tenant, name, version, rows, bytes, expires_at: expiresAt } = newest;
  return { tenant, kind: 'frame.settled', frame: { name, version, rows, bytes, expiresAt } };
}
