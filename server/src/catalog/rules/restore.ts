import type { Restore } from '../../ports/catalog/versions.ts';
import type { LiveName } from '../name-rows.ts';
import type { RecordRow } from '../record-rows.ts';
import type { WireCommitted } from '../wire.ts';
import type { NewestRow } from './commit.ts';
import { type NewEvent, recordEvent } from './events.ts';

/** What a restore takes over from the version that it restores. */
export interface SourceRow extends Omit<NewestRow, 'version_id'> {
  readonly schema_id: number;
  readonly origin_format: string;
  readonly origin_query: string | null;
}

export interface RestoreWrites {
  readonly committed: WireCommitted;
  readonly event: NewEvent;
}

/** An earlier version becomes the next one: a log of its own that begins with the parts of the other, and nothing is copied. */
export function restoredVersion(
  { tenant, version: from, now }: Restore,
  name: LiveName,
  source: SourceRow,
  versionId: string,
): RestoreWrites {
  const record: RecordRow = {
    tenant,
    name: name.name,
    version: name.next_version,
    frame_id: name.frame_id,
    created_at: now,
    expires_at: name.expires_at,
    rows: source.rows,
    bytes: source.bytes,
    part_count: source.part_count,
    origin_kind: 'restored',
    origin_format: source.origin_format,
    hash: source.hash,
    origin_query: source.origin_query,
    restored_from: from,
    life: name.life,
    version_id: versionId,
    versions_keep: name.versions_keep,
  };
  return {
    committed: { record, created: false, replayedColumns: null, expired: null },
    event: recordEvent('frame.restored', record),
  };
}
