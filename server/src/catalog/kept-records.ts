import type { Origin } from '../frames/version.ts';
import type { RecordRow } from './record-rows.ts';

/** A record as the answers have it that are kept for a repeated change. Older ones end before the optional values. */
export type KeptRecord = readonly [
  tenant: string,
  name: string,
  version: number,
  frameId: string,
  createdAt: number,
  expiresAt: number | null,
  rows: number,
  bytes: number,
  partCount: number,
  originKind: Origin['kind'],
  originFormat: string,
  schemaHash: string,
  originQuery?: string | null,
  restoredFrom?: number | null,
  life?: number,
  versionId?: string,
  versionsKeep?: number | null,
];

export function keptRecord(row: RecordRow): KeptRecord {
  return [
    row.tenant,
    row.name,
    row.version,
    row.frame_id,
    row.created_at,
    row.expires_at,
    row.rows,
    row.bytes,
    row.part_count,
    row.origin_kind,
    row.origin_format,
    row.hash,
    row.origin_query,
    row.restored_from,
    row.life,
    row.version_id,
    row.versions_keep,
  ];
}

export function rowOfKept(kept: KeptRecord): RecordRow {
  return {
    tenant: kept[0],
    name: kept[1],
    version: kept[2],
    frame_id: kept[3],
    created_at: kept[4],
    expires_at: kept[5],
    rows: kept[6],
    bytes: kept[7],
    part_count: kept[8],
    origin_kind: kept[9],
    origin_format: kept[10],
    hash: kept[11],
    origin_query: kept[12] ?? null,
    restored_from: kept[13] ?? null,
    life: kept[14] ?? 0,
    // Answers that were kept before versions had ids were given with that of their name.
    version_id: kept[15] ?? kept[3],
    versions_keep: kept[16] ?? null,
  };
}
