import type { StoredObject } from '../../../model/version.ts';
import type { Damage, KnownDamage, QuarantinedObject, ScrubState } from '../../../ports/catalog/integrity.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import {
  type DamageRow,
  describeUses,
  type KeptDamageRow,
  knownDamageOf,
  type OwnerRow,
  type QuarantinedRow,
  quarantinedMax,
  quarantinedOf,
  refusalOfDamage,
  removedKeptMax,
  removedKeptMs,
  type UseRow,
  usesMax,
} from '../../damage-rows.ts';
import { partRecordOf, replacedKind } from '../../part-rows.ts';
import { areDue, foundDamage, leavingKeys } from '../../rules/damage.ts';
import type { Parts } from '../maintenance/parts.ts';

interface KeyedUseRow extends UseRow {
  readonly key: string;
}

/** Objects that are damaged, or were. */
export class DamagedObjects {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async markDamaged(sql: Transaction, key: string, fault: string, now: number): Promise<Damage | null> {
    const owner = await this.#lockOwner(sql, key);
    if (!owner) return null;
    const { part, kind } = owner;
    const frames = (await usesOf(sql, [key])).get(key) ?? [];
    const { refusesTranscoding, recovered } = foundDamage(kind, partRecordOf(part, part.objects).forms);
    const put = await sql.first<{ is_new: boolean }>(
      `INSERT INTO damaged VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET fault = excluded.fault
      RETURNING xmax = 0 AS is_new`,
      [key, fault, now],
    );
    if (refusesTranscoding) this.#parts.refuseDamaged(sql, part.part_id, refusalOfDamage);
    if (put?.is_new) this.#tellNodes(sql);
    return { frames, recovered, isNew: put?.is_new ?? false };
  }

  async quarantined(sql: Sql, after: string | null, limit: number): Promise<QuarantinedObject[]> {
    const rows = await sql.rows<QuarantinedRow>(
      `SELECT o.key, o.bytes, o.sha256, o.kind, d.found_at, p.part_id
      FROM damaged d JOIN objects o ON o.key = d.key JOIN parts p ON p.id = o.part
      WHERE d.key > $1 ORDER BY d.key LIMIT $2`,
      [after ?? '', limit],
    );
    const parts = await this.#parts.byIds(
      sql,
      rows.map((row) => row.part_id),
    );
    return rows.map((row) => quarantinedOf(row, parts.find(({ id }) => id === row.part_id) ?? null));
  }

  async removeDamaged(
    sql: Transaction,
    key: string,
    instead: readonly string[],
    foundBefore: number,
    now: number,
  ): Promise<boolean> {
    const owner = await this.#lockOwner(sql, key);
    if (!owner) return false;
    const { part, kind } = owner;
    const leavingObjects = leavingKeys(key, kind, part, instead);
    if (leavingObjects === null) return false;
    const leaving = await sql.rows<DamageRow>(
      'SELECT key, fault, found_at FROM damaged WHERE key = ANY ($1)',
      [leavingObjects],
    );
    if (!areDue(leaving, foundBefore)) return false;
    const keys = leaving.map((row) => row.key);
    const uses = await usesOf(sql, keys);
    for (const row of leaving) this.#keepRemoved(sql, row.key, row.fault, uses.get(row.key) ?? [], now);
    this.forget(sql, keys);
    if (kind === replacedKind) this.#parts.dropReplaced(sql, key);
    else this.#parts.dropForm(sql, part, kind);
    return true;
  }

  async knownDamage(sql: Sql): Promise<KnownDamage[]> {
    const kept = await sql.rows<KeptDamageRow>(
      `SELECT d.key, d.fault, d.found_at, o.kind FROM damaged d LEFT JOIN objects o ON o.key = d.key
      ORDER BY d.found_at, d.key LIMIT ${quarantinedMax}`,
    );
    const uses = await usesOf(
      sql,
      kept.map((row) => row.key),
    );
    const removed = await sql.rows<DamageRow & { frames: string }>(
      'SELECT key, fault, frames, found_at FROM removed_objects ORDER BY found_at, key',
    );
    return knownDamageOf(kept, (key) => uses.get(key) ?? [], removed);
  }

  async clearDamage(sql: Transaction, key: string): Promise<boolean> {
    // Before anything is locked: the scrub asks for every object, and nearly all are sound.
    if ((await sql.first('SELECT 1 FROM damaged WHERE key = $1', [key])) === undefined) return false;
    const owner = await this.#lockOwner(sql, key);
    if (owner?.kind === replacedKind) return false;
    if ((await sql.run('DELETE FROM damaged WHERE key = $1', [key])) === 0) return false;
    if (owner)
      sql.send('UPDATE parts SET refusal = NULL WHERE id = $1 AND refusal = $2', [
        owner.part.id,
        refusalOfDamage,
      ]);
    this.#tellNodes(sql);
    return true;
  }

  /** The objects are gone, and with them what was known of them. */
  forget(sql: Transaction, keys: readonly string[]): void {
    sql.send('DELETE FROM damaged WHERE key = ANY ($1)', [keys]);
  }

  async objects(sql: Sql, after: string | null, limit: number): Promise<StoredObject[]> {
    return sql.rows<StoredObject>(
      `SELECT key, bytes, sha256 FROM objects WHERE key > $1 AND kind <> '${replacedKind}' ORDER BY key LIMIT $2`,
      [after ?? '', limit],
    );
  }

  async scrubState(sql: Sql): Promise<ScrubState> {
    const row = await sql.first<ScrubState>('SELECT after, finished_at AS "finishedAt" FROM scrub');
    return { after: row?.after ?? null, finishedAt: row?.finishedAt ?? null };
  }

  async saveScrubState(sql: Sql, { after, finishedAt }: ScrubState): Promise<void> {
    await sql.run('UPDATE scrub SET after = $1, finished_at = $2', [after, finishedAt]);
  }

  async #lockOwner(sql: Transaction, key: string) {
    const owner = await sql.first<OwnerRow>(
      'SELECT p.part_id, o.kind FROM objects o JOIN parts p ON p.id = o.part WHERE o.key = $1',
      [key],
    );
    const part = owner && (await this.#parts.lock(sql, owner.part_id));
    // Before the name was locked, another change may have removed the object.
    const isStillIts = part?.objects.some((object) => object.key === key);
    return part && isStillIts ? { part, kind: owner.kind } : null;
  }

  #keepRemoved(sql: Transaction, key: string, fault: string, frames: readonly string[], now: number): void {
    sql.send(
      `INSERT INTO removed_objects VALUES ($1, $2, $3, $4)
      ON CONFLICT (key) DO UPDATE SET fault = excluded.fault, frames = excluded.frames, found_at = excluded.found_at`,
      [key, fault, JSON.stringify(frames), now],
    );
    sql.send(
      `DELETE FROM removed_objects WHERE found_at < $1 OR key IN
        (SELECT key FROM removed_objects ORDER BY found_at DESC OFFSET ${removedKeptMax})`,
      [now - removedKeptMs],
    );
  }

  /** All nodes see it with their next look-up, and forget answers that they have kept. One row for all: damage is rare. */
  #tellNodes(sql: Transaction): void {
    sql.send(`UPDATE catalog_state SET damage_epoch =
      greatest(damage_epoch + 1, (extract(epoch FROM clock_timestamp()) * 1e6)::bigint)`);
  }
}

/** The versions that use each of these objects. */
async function usesOf(sql: Sql, keys: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const rows = await sql.rows<KeyedUseRow>(
    `SELECT given.key, uses.* FROM unnest($1::text[]) AS given (key), LATERAL (
      WITH RECURSIVE reading (name_id, log, seq) AS (
        SELECT p.name_id, p.log, p.seq FROM objects o JOIN parts p ON p.id = o.part WHERE o.key = given.key
        UNION ALL
        SELECT l.name_id, l.log, r.seq FROM reading r
        JOIN logs l ON l.name_id = r.name_id AND l.base_log = r.log AND l.base_count > r.seq)
      SELECT n.tenant, n.name, v.version FROM reading r
      JOIN names n ON n.id = r.name_id
      JOIN kept_versions v ON v.name_id = r.name_id AND v.log = r.log AND v.part_count > r.seq
      ORDER BY v.version DESC LIMIT ${usesMax}) uses
    ORDER BY uses.version`,
    [keys],
  );
  return new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, uses]) => [key, describeUses(uses)]));
}
