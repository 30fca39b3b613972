import type { Sql, Transaction } from '../../../postgres/database.ts';
import type { WireSchema } from '../../wire.ts';

/** Before the hash of a schema of which only keys are left: the next version with that schema stores it anew. */
const endedMark = 'ended:';
/** Of such a schema columns up to this are kept, some 300 of them: answers need nothing else, and no quota counts them. */
const endedColumnsMax = 16 * 1024;

/** So many take PostgreSQL some 5 ms. */
const lookedMax = 1_000;

/** Schemas, each stored once however many versions have it, of whichever tenant. */
export class Schemas {
  #lookedUpTo = 0;

  /**
   * The id of this schema, stored if it is new. A shared lock, which keeps it until the transaction ends: one that excludes others would let
   * commits of all tenants with one schema wait for each other.
   */
  async ensure(sql: Transaction, schema: WireSchema): Promise<number> {
    for (;;) {
      const found = await this.use(sql, schema.hash);
      if (found !== null) return found;
      const added = await sql.first<{ id: number }>(
        `INSERT INTO schemas (hash, message, columns) VALUES ($1, $2, $3)
         ON CONFLICT (hash) DO NOTHING RETURNING id`,
        [schema.hash, Buffer.from(schema.message), schema.columns],
      );
      if (added) return added.id;
    }
  }

  /** The same, if it is there. */
  async use(sql: Transaction, hash: string): Promise<number | null> {
    const found = await sql.first<{ id: number }>('SELECT id FROM schemas WHERE hash = $1 FOR KEY SHARE', [
      hash,
    ]);
    return found?.id ?? null;
  }

  async read(sql: Sql, hash: string): Promise<WireSchema> {
    const [schema] = await this.readAll(sql, [hash]);
    if (!schema) throw new Error(`The catalog has no schema ${hash}.`);
    return schema;
  }

  async readAll(sql: Sql, hashes: readonly string[]): Promise<WireSchema[]> {
    if (hashes.length === 0) return [];
    return sql.rows('SELECT hash, message, columns FROM schemas WHERE hash = ANY($1)', [hashes]);
  }

  /** How many bytes each of them has; those that are not there are left out. */
  async sizes(sql: Sql, hashes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (hashes.length === 0) return new Map();
    const rows = await sql.rows<{ hash: string; bytes: number }>(
      'SELECT hash, octet_length(message) + octet_length(columns) AS bytes FROM schemas WHERE hash = ANY($1)',
      [hashes],
    );
    return new Map(rows.map(({ hash, bytes }) => [hash, bytes]));
  }

  /**
   * Call when versions or keys have gone, and before the transaction locks the row of a tenant. A schema that only keys have left is kept as
   * far as their answers need it.
   */
  async deleteUnused(sql: Transaction, ids: Iterable<number>): Promise<void> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return;
    // Mostly none. The lock waits for commits that have just begun to use one of them.
    const unused = await sql.rows<{ id: number }>(
      `SELECT id FROM schemas s WHERE id = ANY($1)
         AND NOT EXISTS (SELECT 1 FROM kept_versions WHERE schema_id = s.id) ORDER BY id FOR UPDATE`,
      [wanted],
    );
    for (const { id } of unused) await this.#remove(sql, id);
  }

  /**
   * Removes what two changes have left that ended the last versions with a schema at the same moment: each saw the other's version. A look at
   * a thousand schemas at a time, all of them in turn.
   */
  async removeLeft(sql: Transaction): Promise<void> {
    const looked = await sql.rows<{ id: number; is_left: boolean }>(
      `SELECT id, NOT EXISTS (SELECT 1 FROM kept_versions WHERE schema_id = s.id)
         AND (hash NOT LIKE '${endedMark}%' OR NOT EXISTS (SELECT 1 FROM idempotency WHERE schema_id = s.id)) AS is_left
       FROM schemas s WHERE id > $1 ORDER BY id LIMIT ${lookedMax}`,
      [this.#lookedUpTo],
    );
    this.#lookedUpTo = looked.length < lookedMax ? 0 : (looked.at(-1)?.id ?? 0);
    await this.deleteUnused(
      sql,
      looked.flatMap(({ id, is_left }) => (is_left ? [id] : [])),
    );
  }

  /** What a commit has used meanwhile stays. */
  async #remove(sql: Transaction, id: number): Promise<void> {
    const noVersion = 'NOT EXISTS (SELECT 1 FROM kept_versions WHERE schema_id = $1)';
    sql.send(
      `DELETE FROM schemas WHERE id = $1 AND ${noVersion}
         AND NOT EXISTS (SELECT 1 FROM idempotency WHERE schema_id = $1)`,
      [id],
    );
    // Left from an earlier use of the same schema.
    sql.send(
      `UPDATE idempotency k SET schema_id = e.id FROM schemas s JOIN schemas e ON e.hash = '${endedMark}' || s.hash
       WHERE s.id = $1 AND k.schema_id = $1 AND ${noVersion}`,
      [id],
    );
    sql.send(
      `DELETE FROM schemas s USING schemas e WHERE s.id = $1 AND e.hash = '${endedMark}' || s.hash AND ${noVersion}`,
      [id],
    );
    await sql.run(
      `UPDATE schemas SET hash = '${endedMark}' || hash, message = '',
         columns = CASE WHEN octet_length(columns) > ${endedColumnsMax} THEN '' ELSE columns END
       WHERE id = $1 AND hash NOT LIKE '${endedMark}%' AND ${noVersion}`,
      [id],
    );
  }
}
