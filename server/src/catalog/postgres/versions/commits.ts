import { randomId } from '../../../model/handle.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { refuseOldAttempt } from '../../refusals.ts';
import { type CommitWrites, type FoundForCommit, type NewestRow, nextVersion } from '../../rules/commit.ts';
import { type KeyRow, replayOf } from '../../rules/idempotency.ts';
import { commitAgain, storedCommit } from '../../stored-answers.ts';
import type { WireCommit, WireCommitted } from '../../wire.ts';
import type { Endings } from '../endings/endings.ts';
import type { Events } from '../events/events.ts';
import type { Compactions } from '../maintenance/compactions.ts';
import type { Parts } from '../maintenance/parts.ts';
import { Outdated } from '../outdated.ts';
import type { Usage } from '../tenants/usage.ts';
import type { Attempts } from './attempts.ts';
import { type IdempotencyKeys, keyColumns } from './idempotency.ts';
import type { Names } from './names.ts';
import { addVersion } from './new-version.ts';
import type { Schemas } from './schemas.ts';

export interface CommitTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly schemas: Schemas;
  readonly keys: IdempotencyKeys;
  readonly parts: Parts;
  readonly compactions: Compactions;
  readonly endings: Endings;
  readonly usage: Usage;
  readonly events: Events;
}

/** What else a commit reads, after it has locked the name. */
interface FoundRow extends KeyRow, NewestRow {
  readonly attempt: string | null;
  readonly new_id: number | null;
  readonly has_key: boolean;
  readonly has_newest: boolean;
}

interface Found extends FoundForCommit {
  /** For a name that was never used. */
  readonly newId: number | null;
  readonly attempt: string | null;
  readonly key: KeyRow | null;
  readonly schemaId: number | null;
}

/**
 * Makes the next version of a name, in two round trips: what must be known, then all that is written and COMMIT. Locks are taken in this order:
 * the name, its schema (shared), the idempotency key, and the row of the tenant last, because all changes of a tenant wait for that one.
 */
export class Commits {
  readonly #tables: CommitTables;

  constructor(tables: CommitTables) {
    this.#tables = tables;
  }

  async commit(sql: Transaction, change: WireCommit): Promise<WireCommitted> {
    const found = await this.#find(sql, change);
    if (found.attempt !== null) return commitAgain(found.attempt);
    refuseOldAttempt(change.part.id, change.now);
    if (change.idempotency && found.key) {
      const replay = replayOf(found.key, change.idempotency, change.now);
      if (replay) return replay;
    }
    return this.#write(sql, change, found, nextVersion(change, found, randomId));
  }

  /** All in one round trip. Each statement sees what was committed before it began: those after the lock see what others did before they gave it up. */
  async #find(sql: Transaction, change: WireCommit): Promise<Found> {
    const { tenant, name, idempotency, part, schema } = change;
    const [locked, row, schemaId] = await Promise.all([
      this.#tables.names.lock(sql, tenant, name),
      sql.first<FoundRow>(
        `SELECT (SELECT answer FROM attempts WHERE id = $1) AS attempt,
           CASE WHEN n.id IS NULL THEN nextval('names_id_seq') END AS new_id,
           k.key IS NOT NULL AS has_key, ${keyColumns},
           v.version IS NOT NULL AS has_newest, v.log, v.part_count, v.rows, v.bytes, v.version_id, s.hash
         FROM (SELECT) AS one
         LEFT JOIN names n ON n.tenant = $2 AND n.lower = $3
         LEFT JOIN versions v ON v.name_id = n.id AND v.version = n.newest
         LEFT JOIN schemas s ON s.id = v.schema_id
         LEFT JOIN idempotency k ON k.tenant = $2 AND k.key = $4
         LEFT JOIN schemas ks ON ks.id = k.schema_id`,
        [part.id, tenant, name.toLowerCase(), idempotency?.key ?? null],
      ),
      this.#tables.schemas.use(sql, schema.hash),
    ]);
    // Between the two statements another transaction has added the name.
    if (row === undefined || (locked === undefined) !== (row.new_id !== null)) throw new Outdated();
    return {
      name: locked,
      newId: row.new_id,
      attempt: row.attempt,
      key: row.has_key ? row : null,
      newest: row.has_newest ? row : null,
      schemaId,
    };
  }

  async #write(
    sql: Transaction,
    change: WireCommit,
    found: Found,
    next: CommitWrites,
  ): Promise<WireCommitted> {
    const { attempts, names, parts, compactions, schemas, keys, endings, usage, events } = this.#tables;
    const { name, newId, key } = found;
    const { tenant, part, quota, now } = change;
    const { committed, expired, place } = next;
    const { record, created } = committed;
    if (expired) await endings.expire(sql, expired, now);
    // What has just ended may have been the last to have the schema.
    const known = expired ? null : found.schemaId;
    const schemaId = known ?? (await schemas.ensure(sql, change.schema));

    await keys.remember(sql, change, committed, schemaId, key);
    attempts.add(sql, { id: part.id, now }, storedCommit(committed) ?? '');
    const nameId = name?.id ?? (newId as number);
    if (name) names.advance(sql, nameId, record);
    else names.add(sql, nameId, record);
    addVersion(sql, { nameId, log: place.log, schemaId, record });
    if (place.seq > 0) compactions.mark(sql, nameId, place.log);
    parts.add(sql, nameId, place, part, now);
    if (quota !== null) await usage.check(sql, tenant, quota, created);
    events.add(sql, next.event, now);
    if (next.isTranscoded) await parts.addedTranscoded(sql, part.id, now);
    return committed;
  }
}
