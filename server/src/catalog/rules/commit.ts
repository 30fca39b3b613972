import type { FrameEventKind } from '../../ports/catalog/events.ts';
import { firstForm, putBytes } from '../../ports/catalog/versions.ts';
import { isLive, type LiveName, type NameRow, nameAbsence } from '../name-rows.ts';
import type { RecordRow } from '../record-rows.ts';
import { baseSchemaChanged, checkExpected, frameExists, nameConflict } from '../refusals.ts';
import type { WireCommit, WireCommitted } from '../wire.ts';
import { type NewEvent, recordEvent } from './events.ts';
import type { PartPlace } from './logs.ts';

/** The newest version of a name, which an append continues. */
export interface NewestRow {
  readonly log: number;
  readonly part_count: number;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
  readonly version_id: string;
}

export interface FoundForCommit {
  readonly name: NameRow | undefined;
  /** Not needed if `readsNewest` is false. */
  readonly newest: NewestRow | null;
}

export interface CommitWrites {
  readonly committed: WireCommitted;
  /** Expired but not swept: that frame ends first, as of its expiry. */
  readonly expired: NameRow | null;
  readonly place: PartPlace;
  readonly event: NewEvent;
  /** The part came with its Parquet form. */
  readonly isTranscoded: boolean;
}

/** Whether a commit depends on the newest version, and not on the name alone. */
export function readsNewest({ mode, ifVersion }: WireCommit): boolean {
  return mode === 'append' || ifVersion !== null;
}

/** The next version of a name: refused, or what is written for it. */
export function nextVersion(
  change: WireCommit,
  { name, newest }: FoundForCommit,
  newId: () => string,
): CommitWrites {
  const { part, now } = change;
  const live = isLive(name, now) ? name : null;
  checkConditions(change, live, newest);
  const base = change.mode === 'append' ? baseOf(change, live, name, newest) : null;
  const record = recordOf(change, name, live, base, newId);
  const created = live === null;
  const expired = created && name !== undefined && name.newest !== null ? name : null;
  return {
    committed: { record, created, added: part.rows, replayedColumns: null, expired: expired?.name ?? null },
    expired,
    place: {
      log: base?.log ?? record.version,
      seq: base?.part_count ?? 0,
      firstRow: base?.rows ?? 0,
    },
    event: recordEvent(eventKind(change.mode, created), record),
    isTranscoded: firstForm(part).kind === 'parquet',
  };
}

function checkConditions(change: WireCommit, live: LiveName | null, newest: NewestRow | null): void {
  if (live && live.name !== change.name) throw nameConflict(change.name, live.name);
  if (live && change.mode === 'create') throw frameExists(change.name, live.newest);
  const found = live && { version: live.newest, versionId: newest?.version_id ?? '' };
  checkExpected(change.name, change.ifVersion, found);
}

function baseOf(
  change: WireCommit,
  live: LiveName | null,
  name: NameRow | undefined,
  newest: NewestRow | null,
): NewestRow {
  if (!live) throw nameAbsence(name, change.name, change.now);
  if (newest === null || newest.hash !== change.baseSchemaHash) throw baseSchemaChanged(change.name);
  return newest;
}

function recordOf(
  change: WireCommit,
  name: NameRow | undefined,
  live: LiveName | null,
  base: NewestRow | null,
  newId: () => string,
): RecordRow {
  const { mode, part, origin } = change;
  const details = origin.query ?? origin.text;
  const keepsExpiry = mode === 'append' || change.expiresAt === undefined;
  return {
    tenant: change.tenant,
    name: change.name,
    version: name?.next_version ?? 1,
    frame_id: name?.frame_id ?? newId(),
    created_at: change.now,
    expires_at: keepsExpiry ? (live?.expires_at ?? null) : (change.expiresAt ?? null),
    rows: (base?.rows ?? 0) + part.rows,
    bytes: (base?.bytes ?? 0) + putBytes(part),
    part_count: (base?.part_count ?? 0) + 1,
    origin_kind: origin.kind,
    origin_format: origin.format,
    hash: change.schema.hash,
    origin_query: details === undefined ? null : JSON.stringify(details),
    restored_from: null,
    life: name?.life ?? 0,
    version_id: newId(),
    versions_keep: live?.versions_keep ?? null,
  };
}

function eventKind(mode: WireCommit['mode'], created: boolean): FrameEventKind {
  if (created) return 'frame.created';
  return mode === 'append' ? 'frame.appended' : 'frame.replaced';
}
