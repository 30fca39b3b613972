import type { LinkRecord } from '../../../ports/catalog/sharing.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { type LinkRow, linkNotFound, linkOf, linksMax, revokedMax, tooManyLinks } from '../../link-rows.ts';
import type { Names } from '../versions/names.ts';
import type { Pins } from '../versions/pins.ts';

/** Signed links, from when they are made until they expire. Each pins its version. */
export class SignedLinks {
  readonly #names: Names;
  readonly #pins: Pins;

  constructor(names: Names, pins: Pins) {
    this.#names = names;
    this.#pins = pins;
  }

  /**
   * A prune sees the link, or the link is refused because its version has ended. Links of one name do not wait for each other, so a few more than the
   * limit may be made at once.
   */
  async addLink(sql: Transaction, link: LinkRecord, now: number): Promise<void> {
    const { id, tenant, name, version, incarnation: life, createdAt, createdBy, expiresAt } = link;
    const row = await this.#names.holdLive(sql, tenant, name, now);
    const counted = await sql.first<{ links: number; is_kept: boolean }>(
      `SELECT count(*) AS links, EXISTS (SELECT 1 FROM versions WHERE name_id = $1 AND version = $4) AS is_kept
      FROM links WHERE name_id = $1 AND expires_at > $2 AND revoked_at IS NULL AND id <> $3`,
      [row.id, now, id, version],
    );
    if (!counted?.is_kept) throw await this.#names.versionAbsence(sql, row, version, now);
    if (counted.links >= linksMax) throw tooManyLinks();
    sql.send(
      `INSERT INTO links (id, tenant, name_id, version, life, created_at, created_by, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
      [id, tenant, row.id, version, life, createdAt, createdBy, expiresAt],
    );
  }

  async links(sql: Sql, tenant: string, name: string, now: number): Promise<readonly LinkRecord[]> {
    const { id, life } = await this.#names.requireLive(sql, tenant, name, now);
    const rows = await sql.rows<LinkRow>(
      `SELECT l.id, l.version, l.life, l.created_at, l.created_by, l.expires_at
      FROM links l JOIN versions v USING (name_id, version)
      WHERE name_id = $1 AND expires_at > $2 AND revoked_at IS NULL AND life = $3
      ORDER BY l.created_at DESC, l.id DESC LIMIT ${linksMax}`,
      [id, now, life],
    );
    return rows.map((row) => linkOf(tenant, name, row));
  }

  async revokeLink(
    sql: Transaction,
    tenant: string,
    name: string,
    id: string,
    now: number,
  ): Promise<LinkRecord> {
    const { id: nameId } = await this.#names.requireLive(sql, tenant, name, now);
    const row = await sql.first<LinkRow>(
      `UPDATE links SET revoked_at = coalesce(revoked_at, $3) WHERE id = $1 AND name_id = $2
      RETURNING id, version, life, created_at, created_by, expires_at`,
      [id, nameId, now],
    );
    if (row === undefined) throw linkNotFound();
    sql.send(
      `DELETE FROM links WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM links WHERE id IN (
          SELECT id FROM links WHERE name_id = $1 AND revoked_at IS NOT NULL
          ORDER BY revoked_at DESC, id DESC OFFSET ${revokedMax})
        FOR UPDATE SKIP LOCKED))`,
      [nameId],
    );
    this.#pins.ended(sql, nameId, now);
    return linkOf(tenant, name, row);
  }

  async isLinkInForce(sql: Sql, id: string): Promise<boolean> {
    return (await sql.first('SELECT 1 FROM links WHERE id = $1 AND revoked_at IS NULL', [id])) !== undefined;
  }

  /** Returns how many were forgotten, at most `limit`. */
  forgetExpired(sql: Transaction, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM links WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM links WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, limit],
    );
  }
}
