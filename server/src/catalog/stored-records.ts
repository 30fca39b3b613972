import type { RecordRow } from './record-rows.ts';

/** Of a record in the answers that are kept for a repeated change. */
const order = [
  'tenant',
  'name',
  'version',
  'frame_id',
  'created_at',
  'expires_at',
  'rows',
  'bytes',
  'part_count',
  'origin_kind',
  'origin_format',
  'hash',
  // Answers of older servers end before these.
  'origin_query',
  'restored_from',
  'life',
  'version_id',
  'versions_keep',
] as const satisfies readonly (keyof RecordRow)[];

type Values<Columns extends readonly (keyof RecordRow)[]> = {
  readonly [Place in keyof Columns]: RecordRow[Columns[Place]];
};
export type StoredRecord = Values<typeof order>;

export function storedRecord(row: RecordRow): StoredRecord {
  return order.map((column) => row[column]) as readonly unknown[] as StoredRecord;
}

export function rowOfStored(kept: StoredRecord): RecordRow {
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
