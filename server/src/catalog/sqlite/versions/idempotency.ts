import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Commit } from '../../../frames/ports/catalog/versions.ts';
import { answerToSame, type KeyAnswer, keyAnswer } from '../../kept-keys.ts';
import { idempotencyKeptMs } from '../../memory-times.ts';
import { answerNotKept } from '../../refusals.ts';
import type { WireCommitted } from '../../wire.ts';
import type { Schemas } from './schemas.ts';

interface KeyRow {
  readonly fingerprint: string;
  readonly used_at: number;
  readonly answer: string;
  readonly schema_id: number;
}

/** Its methods that are operations of the catalog. */
export const idempotencyOperations = {
  reads: ['replay'],
  writes: [],
} as const;

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
    this.#find = db.prepare(
      'SELECT fingerprint, used_at, answer, schema_id FROM idempotency WHERE tenant = ? AND key = ?',
    );
    this.#put = db.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?)');
    this.#old = db.prepare('SELECT tenant, key, schema_id FROM idempotency WHERE used_at <= ? LIMIT ?');
    this.#delete = db.prepare('DELETE FROM idempotency WHERE tenant = ? AND key = ?');
  }

  replay(tenant: string, key: string, fingerprint: string, now: number, body?: string): WireCommitted | null {
    const row = this.#row(tenant, key);
    if (!row || row.used_at <= now - idempotencyKeptMs) return null;
    const { body: _, ...answer } = answerToSame(row, { key, fingerprint, body });
    const replayedColumns = this.#schemas.columns(row.schema_id);
    if (replayedColumns === null) throw answerNotKept(answer.record[1], answer.record[2]);
    return { ...answer, replayedColumns, expired: null };
  }

  /** Call only if `replay` gave null: a row that is still there has expired. */
  remember(
    change: Pick<Commit, 'tenant' | 'idempotency' | 'now'>,
    answer: Omit<KeyAnswer, 'body'>,
    schemaId: number,
  ): void {
    const idempotency = change.idempotency;
    if (!idempotency) return;
    const outlived = this.#row(change.tenant, idempotency.key);
    if (outlived) this.#delete.run(change.tenant, idempotency.key);
    const text = keyAnswer(answer, idempotency);
    this.#put.run(change.tenant, idempotency.key, idempotency.fingerprint, change.now, text, schemaId);
    if (outlived) this.#schemas.deleteUnused([outlived.schema_id]);
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
