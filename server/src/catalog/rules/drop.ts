import type { Drop } from '../../ports/catalog/versions.ts';
import type { LiveName, NameRow } from '../name-rows.ts';
import { droppedEvent, expiredEvent, type NewEvent } from './events.ts';

export interface NameDrop {
  /** Until when its content can come back; null: it goes now. */
  readonly keptUntil: number | null;
  readonly event: NewEvent;
}

export interface NameExpiry {
  readonly endedAt: number;
  readonly event: NewEvent;
}

/** A name ends with its last version. null: only the version ends, and the name lives on. */
export function nameDrop({ version, undropMs, now }: Drop, name: LiveName): NameDrop | null {
  if (version !== null && name.kept > 1) return null;
  // Nothing comes back after its expiry.
  const until = Math.min(now + undropMs, name.expires_at ?? Number.MAX_SAFE_INTEGER);
  return { keptUntil: undropMs > 0 ? until : null, event: droppedEvent(name) };
}

/** A name whose time has come ends as of its expiry, whenever that is noticed. */
export function nameExpiry(name: NameRow, now: number): NameExpiry {
  return { endedAt: name.expires_at ?? now, event: expiredEvent(name) };
}
