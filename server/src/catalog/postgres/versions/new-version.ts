import type { Transaction } from '../../../postgres/database.ts';
import type { RecordRow } from '../../record-rows.ts';

/** A row of versions. */
export interface NewVersion {
  readonly nameId: number;
  readonly log: number;
  readonly schemaId: number;
  readonly record: RecordRow;
}

export function addVersion(sql: Transaction, { nameId, log, schemaId, record: row }: NewVersion): void {
  const { version, part_count, rows, bytes, created_at, origin_kind, origin_format, origin_query } = row;
  sql.send('INSERT INTO versions VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
    ...[nameId, version, log, part_count, rows, bytes, schemaId, created_at, origin_kind, origin_format],
    ...[origin_query, row.restored_from, row.version_id],
  ]);
}
