import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LinkRecord } from '../../../ports/catalog/sharing.ts';
import { type LinkRow, linkNotFound, linkOf, linksMax, revokedMax, tooManyLinks } from '../../link-rows.ts';
import type { Names } from '../versions/names.ts';
import type { Pins } from '../versions/pins.ts';

/** Its methods that are operations of the catalog. */
export const linkOperations = {
  reads: ['links', 'isLinkInForce'],
  writes: ['addLink', 'revokeLink'],
} as const;

/** Signed links, from when they are made until they expire. Each pins its version. */
export class SignedLinks {
  readonly #names: Names;
  readonly #pins: Pins;
  readonly #isKept: StatementSync;
  readonly #insert: StatementSync;
  readonly #count: StatementSync;
  readonly #list: StatementSync;
  readonly #find: StatementSync;
  readonly #revoke: StatementSync;
  readonly #forgetRevoked: StatementSync;
  readonly #inForce: StatementSync;
  readonly #forgetExpired: StatementSync;

  constructor(db: DatabaseSync, names: Names, pins: Pins) {
    this.#names = names;
    this.#pins = pins;
    this.#isKept = db.prepare('SELECT 1 FROM versions WHERE name_id = ? AND version = ?');
    this.#insert = db.prepare(`
      INSERT OR IGNORE INTO links (id, tenant, name_id, version, life, created_at, created_by, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#count = db.prepare(`
      SELECT count(*) AS links FROM links WHERE name_id = ? AND expires_at > ? AND revoked_at IS NULL AND id <> ?`);
    this.#list = db.prepare(`
      SELECT links.* FROM links JOIN versions USING (name_id, version)
      WHERE name_id = ? AND expires_at > ? AND revoked_at IS NULL AND life = ?
      ORDER BY links.created_at DESC, id DESC LIMIT ${linksMax}`);
    this.#find = db.prepare('SELECT * FROM links WHERE id = ? AND name_id = ?');
    this.#revoke = db.prepare('UPDATE links SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
    this.#forgetRevoked = db.prepare(`
      DELETE FROM links WHERE id IN (
        SELECT id FROM links WHERE name_id = ? AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, id DESC LIMIT -1 OFFSET ${revokedMax})`);
    this.#inForce = db.prepare('SELECT 1 FROM links WHERE id = ? AND revoked_at IS NULL');
    this.#forgetExpired = db.prepare(`
      DELETE FROM links WHERE id IN (SELECT id FROM links WHERE expires_at <= ? LIMIT ?)`);
  }

  addLink(link: LinkRecord, now: number): void {
    const { id, tenant, name, version, incarnation: life, createdAt, createdBy, expiresAt } = link;
    const row = this.#names.requireLive(tenant, name, now);
    if (this.#isKept.get(row.id, version) === undefined) throw this.#names.versionAbsence(row, version, now);
    const { links } = this.#count.get(row.id, now, id) as { links: number };
    if (links >= linksMax) throw tooManyLinks();
    this.#insert.run(id, tenant, row.id, version, life, createdAt, createdBy, expiresAt);
  }

  links(tenant: string, name: string, now: number): readonly LinkRecord[] {
    const { id, life } = this.#names.requireLive(tenant, name, now);
    return (this.#list.all(id, now, life) as unknown as LinkRow[]).map((row) => linkOf(tenant, name, row));
  }

  revokeLink(tenant: string, name: string, id: string, now: number): LinkRecord {
    const { id: nameId } = this.#names.requireLive(tenant, name, now);
    const row = this.#find.get(id, nameId) as LinkRow | undefined;
    if (row === undefined) throw linkNotFound();
    this.#revoke.run(now, id);
    this.#forgetRevoked.run(nameId);
    this.#pins.ended(nameId, now);
    return linkOf(tenant, name, row);
  }

  isLinkInForce(id: string): boolean {
    return this.#inForce.get(id) !== undefined;
  }

  /** Returns how many were forgotten, at most `limit`. */
  forgetExpired(now: number, limit: number): number {
    return Number(this.#forgetExpired.run(now, limit).changes);
  }
}
