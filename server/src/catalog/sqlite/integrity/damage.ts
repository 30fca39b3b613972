import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredObject } from '../../../model/version.ts';
import type { Damage, KnownDamage, QuarantinedObject, ScrubState } from '../../../ports/catalog/integrity.ts';
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
import { replacedKind } from '../../part-rows.ts';
import { areDue, foundDamage, leavingKeys } from '../../rules/damage.ts';
import type { Parts } from '../maintenance/parts.ts';

/** Its methods that are operations of the catalog. */
export const damageOperations = {
  reads: ['objects', 'quarantined', 'knownDamage', 'scrubState', 'integrity'],
  writes: ['markDamaged', 'clearDamage', 'removeDamaged', 'saveScrubState'],
} as const;

export class DamagedObjects {
  readonly #parts: Parts;
  readonly #owner: StatementSync;
  readonly #uses: StatementSync;
  readonly #damage: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #permitTranscoding: StatementSync;
  readonly #objects: StatementSync;
  readonly #scrubState: StatementSync;
  readonly #saveScrub: StatementSync;
  readonly #integrity: StatementSync;
  readonly #quarantined: StatementSync;
  readonly #kept: StatementSync;
  readonly #removed: StatementSync;
  readonly #putRemoved: StatementSync;
  readonly #pruneRemoved: StatementSync;

  constructor(db: DatabaseSync, parts: Parts) {
    this.#parts = parts;
    this.#owner = db.prepare(
      'SELECT p.part_id, o.kind FROM objects o JOIN parts p ON p.id = o.part WHERE o.key = ?',
    );
    this.#uses = db.prepare(`
      WITH RECURSIVE reading (name_id, log, seq) AS (
        SELECT p.name_id, p.log, p.seq FROM objects o JOIN parts p ON p.id = o.part WHERE o.key = ?
        UNION ALL
        SELECT l.name_id, l.log, r.seq FROM reading r
        JOIN logs l ON l.name_id = r.name_id AND l.base_log = r.log AND l.base_count > r.seq)
      SELECT n.tenant, n.name, v.version FROM reading r
      JOIN names n ON n.id = r.name_id
      JOIN kept_versions v ON v.name_id = r.name_id AND v.log = r.log AND v.part_count > r.seq
      ORDER BY v.version DESC LIMIT ${usesMax}`);
    this.#damage = db.prepare('SELECT key, fault, found_at FROM damaged WHERE key = ?');
    this.#put = db.prepare(
      'INSERT INTO damaged VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET fault = excluded.fault',
    );
    this.#delete = db.prepare('DELETE FROM damaged WHERE key = ?');
    this.#permitTranscoding = db.prepare(
      'UPDATE parts SET refusal = NULL WHERE refusal = ? AND id = (SELECT part FROM objects WHERE key = ?)',
    );
    this.#objects = db.prepare(
      `SELECT key, bytes, sha256 FROM objects WHERE key > ? AND kind <> '${replacedKind}' ORDER BY key LIMIT ?`,
    );
    this.#scrubState = db.prepare('SELECT after, finished_at FROM scrub');
    this.#saveScrub = db.prepare('UPDATE scrub SET after = ?, finished_at = ?');
    this.#quarantined = db.prepare(`
      SELECT o.key, o.bytes, o.sha256, o.kind, d.found_at, p.part_id
      FROM damaged d JOIN objects o ON o.key = d.key JOIN parts p ON p.id = o.part
      WHERE d.key > ? ORDER BY d.key LIMIT ?`);
    this.#kept = db.prepare(`
      SELECT d.key, d.fault, d.found_at, o.kind FROM damaged d LEFT JOIN objects o ON o.key = d.key
      ORDER BY d.found_at, d.key LIMIT ${quarantinedMax}`);
    this.#removed = db.prepare(
      'SELECT key, fault, frames, found_at FROM removed_objects ORDER BY found_at, key',
    );
    this.#putRemoved = db.prepare('INSERT OR REPLACE INTO removed_objects VALUES (?, ?, ?, ?)');
    this.#pruneRemoved = db.prepare(`
      DELETE FROM removed_objects WHERE found_at < ? OR key IN
        (SELECT key FROM removed_objects ORDER BY found_at DESC LIMIT -1 OFFSET ${removedKeptMax})`);
    this.#integrity = db.prepare('PRAGMA integrity_check(100)');
  }

  markDamaged(key: string, fault: string, now: number): Damage | null {
    const owner = this.#owner.get(key) as OwnerRow | undefined;
    if (!owner) return null;
    const frames = this.#usesOf(key);
    const part = this.#parts.find(owner.part_id);
    const forms = part?.forms ?? [];
    const isNew = this.#damage.get(key) === undefined;
    this.#put.run(key, fault, now);
    const { refusesTranscoding, recovered } = foundDamage(owner.kind, forms);
    if (refusesTranscoding) this.#parts.refuseDamaged(owner.part_id, refusalOfDamage);
    return { frames, recovered, isNew };
  }

  quarantined(after: string | null, limit: number): QuarantinedObject[] {
    const rows = this.#quarantined.all(after ?? '', limit) as unknown as QuarantinedRow[];
    return rows.map((row) => quarantinedOf(row, this.#parts.find(row.part_id)));
  }

  removeDamaged(key: string, instead: readonly string[], foundBefore: number, now: number): boolean {
    const owner = this.#owner.get(key) as OwnerRow | undefined;
    const part = owner && this.#parts.found(owner.part_id);
    const keys = part ? leavingKeys(key, owner.kind, part, instead) : null;
    if (!owner || !part || keys === null) return false;
    const leaving = keys.flatMap((each) => (this.#damage.get(each) as DamageRow | undefined) ?? []);
    if (!areDue(leaving, foundBefore)) return false;
    for (const row of leaving) {
      this.#putRemoved.run(row.key, row.fault, JSON.stringify(this.#usesOf(row.key)), now);
      this.#delete.run(row.key);
    }
    this.#pruneRemoved.run(now - removedKeptMs);
    if (owner.kind === replacedKind) this.#parts.dropReplaced(key);
    else this.#parts.dropForm(part, owner.kind);
    return true;
  }

  knownDamage(): KnownDamage[] {
    const kept = this.#kept.all() as unknown as KeptDamageRow[];
    const removed = this.#removed.all() as unknown as (DamageRow & { frames: string })[];
    return knownDamageOf(kept, (key) => this.#usesOf(key), removed);
  }

  clearDamage(key: string): boolean {
    const owner = this.#owner.get(key) as OwnerRow | undefined;
    if (this.#damage.get(key) === undefined || owner?.kind === replacedKind) return false;
    this.#delete.run(key);
    this.#permitTranscoding.run(refusalOfDamage, key);
    return true;
  }

  /** The objects are gone, and with them what was known of them. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#delete.run(key);
  }

  objects(after: string | null, limit: number): StoredObject[] {
    const rows = this.#objects.all(after ?? '', limit) as unknown as StoredObject[];
    return rows.map(({ key, bytes, sha256 }) => ({ key, bytes, sha256 }));
  }

  scrubState(): ScrubState {
    const row = this.#scrubState.get() as { after: string | null; finished_at: number | null };
    return { after: row.after, finishedAt: row.finished_at };
  }

  saveScrubState({ after, finishedAt }: ScrubState): void {
    this.#saveScrub.run(after, finishedAt);
  }

  integrity(): string[] {
    return this.#integrity
      .all()
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok');
  }

  #usesOf(key: string): string[] {
    return describeUses((this.#uses.all(key) as unknown as UseRow[]).toReversed());
  }
}
