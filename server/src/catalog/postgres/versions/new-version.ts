import type { Transaction } from '../../../postgres/database.ts';
import { versionIdOf, type WireRecord } from '../../wire.ts';

/** A row of versions. */
export interface NewVersion {
  readonly nameId: number;
  readonly log: number;
  readonly schemaId: number;
  readonly record: WireRecord;
}

export function addVersion(sql: Transaction, { nameId, log, schemaId, record }: NewVersion): void {
  const [, , version, , createdAt, , rows, bytes, partCount, kind, format, , query, restoredFrom] = record;
  sql.send('INSERT INTO versions VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
    nameId,
    version,
    log,
    partCount,
    rows,
    bytes,
    schemaId,
    createdAt,
    kind,
    format,
    query ?? null,
    restoredFrom ?? null,
    versionIdOf(record),
  ]);
}
