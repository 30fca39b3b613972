import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Commit, Idempotency } from '../../../ports/catalog/versions.ts';
import { idempotencyKeptMs } from '../../memory-times.ts';
import { type KeyRow, keyAnswer, replayOf } from '../../rules/idempotency.ts';
import type { WireCommitted } from '../../wire.ts';
import type { Schemas } from './schemas.ts';

/**
 * Keys of changes of the last day. The answer is kept, so a repeated request is answered as the first time even if
 * its version has since been dropped; but what it keeps of a dropped version does not count for the quota, and so must be small.
 */
export class IdempotencyKeys {
  readonly #schemas: Schemas;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #old: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync, schemas: Schemas) {
    this.#schemas = schemas;
    this.#find = db.prepare(`
      SELECT fingerprint, used_at, answer, schema_id AS key_schema, columns
      FROM idempotency JOIN schemas ON schemas.id = schema_id WHERE tenant = ? AND key = ?`);
    this.#put = db.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?)');
    this.#old = db.prepare('SELECT tenant, key, schema_id FROM idempotency WHERE used_at <= ? LIMIT ?');
    this.#delete = db.prepare('DELETE FROM idempotency WHERE tenant = ? AND key = ?');
  }

  replay(tenant: string, given: Idempotency, now: number): WireCommitted | null {
    const row = this.#row(tenant, given.key);
    return row ? replayOf(row, given, now) : null;
  }

  /** Call only if `replay` gave null: a row that is still there has expired. */
  remember(
    { tenant, idempotency, now }: Pick<Commit, 'tenant' | 'idempotency' | 'now'>,
    committed: WireCommitted,
    schemaId: number,
  ): void {
    if (!idempotency) return;
    const { key, fingerprint } = idempotency;
    const outlived = this.#row(tenant, key);
    if (outlived) this.#delete.run(tenant, key);
    this.#put.run(tenant, key, fingerprint, now, keyAnswer(committed, idempotency), schemaId);
    if (outlived) this.#schemas.deleteUnused([outlived.key_schema]);
  }

  /** Forgets up to `limit` expired keys; returns how many. */
  forgetOld(now: number, limit: number): number {
    const rows = this.#old.all(now - idempotencyKeptMs, limit) as unknown as {
      tenant: string;
      key: string;
      schema_id: number;
    }[];
    for (const row of rows) this.#delete.run(row.tenant, row.key);
    this.#schemas.deleteUnused(new Set(rows.map((row) => row.schema_id)));
    return rows.length;
  }

  #row(tenant: string, key: string): KeyRow | undefined {
    return this.#find.get(tenant, key) as KeyRow | undefined;
  }
}
