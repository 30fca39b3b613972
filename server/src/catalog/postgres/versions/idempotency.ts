import type { Commit, Idempotency } from '../../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { idempotencyKeptMs } from '../../memory-times.ts';
import { type KeyRow, keyAnswer, replayOf } from '../../rules/idempotency.ts';
import type { WireCommitted } from '../../wire.ts';
import type { Schemas } from './schemas.ts';

/** Columns of a key `k` and its schema `ks`. */
export const keyColumns = 'k.fingerprint, k.used_at, k.answer, k.schema_id AS key_schema, ks.columns';

/**
 * Keys of changes of the last day. The answer is kept, so a repeated request is answered as the first time even if
 * its version has since been dropped; but what it keeps of a dropped version does not count for the quota, and so must be small.
 */
export class IdempotencyKeys {
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  async replay(sql: Sql, tenant: string, given: Idempotency, now: number): Promise<WireCommitted | null> {
    const row = await sql.first<KeyRow>(
      `SELECT ${keyColumns} FROM idempotency k JOIN schemas ks ON ks.id = k.schema_id
       WHERE k.tenant = $1 AND k.key = $2`,
      [tenant, given.key],
    );
    return row ? replayOf(row, given, now) : null;
  }

  /** `outlived` is the row of the same key that has expired. Before the transaction locks the row of the tenant: keys are of several names. */
  async remember(
    sql: Transaction,
    change: Pick<Commit, 'tenant' | 'idempotency' | 'now'>,
    committed: WireCommitted,
    schemaId: number,
    outlived: KeyRow | null,
  ): Promise<void> {
    const { tenant, idempotency, now } = change;
    if (!idempotency) return;
    const { key, fingerprint } = idempotency;
    if (outlived)
      sql.send('DELETE FROM idempotency WHERE tenant = $1 AND key = $2 AND used_at = $3', [
        tenant,
        key,
        outlived.used_at,
      ]);
    sql.send('INSERT INTO idempotency VALUES ($1, $2, $3, $4, $5, $6)', [
      tenant,
      key,
      fingerprint,
      now,
      keyAnswer(committed, idempotency),
      schemaId,
    ]);
    if (outlived && outlived.key_schema !== schemaId)
      await this.#schemas.deleteUnused(sql, [outlived.key_schema]);
  }

  /** Forgets up to `limit` expired keys; returns how many. */
  async forgetOld(sql: Transaction, now: number, limit: number): Promise<number> {
    const rows = await sql.rows<{ schema_id: number }>(
      `DELETE FROM idempotency WHERE (tenant, key) IN
         (SELECT tenant, key FROM idempotency WHERE used_at <= $1 ORDER BY used_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING schema_id`,
      [now - idempotencyKeptMs, limit],
    );
    await this.#schemas.deleteUnused(
      sql,
      rows.map((row) => row.schema_id),
    );
    return rows.length;
  }
}
