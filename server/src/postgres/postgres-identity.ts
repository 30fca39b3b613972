import type { ClusterIdentity, IdentifiedCatalog } from '../ports/cluster-identity.ts';
import type { Database } from './database.ts';

const columns = 'catalog_id AS "catalogId", epoch';

/**
 * Changes that this process remembers. Which of those that were committed at nearly the same time is the last in the database's log is not known:
 * so more than one.
 */
const witnessedMax = 100;
/** The table of attempts has them for a day. */
const witnessedMs = 12 * 60 * 60 * 1000;

/** The identity of the catalog in its one row of state. */
export class PostgresIdentity implements IdentifiedCatalog {
  readonly #database: Database;
  /** The last changes that were committed here, by their attempts, oldest first. */
  #witnessed: { readonly attempt: string; readonly at: number }[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  async identity(): Promise<ClusterIdentity> {
    return only(
      await this.#database.read((sql) => sql.rows<ClusterIdentity>(`SELECT ${columns} FROM catalog_state`)),
    );
  }

  advance(intervalMs: number, now: number): Promise<ClusterIdentity> {
    return this.#database.change(async (sql) => {
      sql.send('UPDATE catalog_state SET epoch = epoch + 1, epoch_at = $1 WHERE epoch_at <= $2', [
        now,
        now - intervalMs,
      ]);
      return only(await sql.rows<ClusterIdentity>(`SELECT ${columns} FROM catalog_state`));
    });
  }

  /** The database has said that this change is committed. */
  witness(attempt: string): void {
    this.#witnessed.push({ attempt, at: performance.now() });
    if (this.#witnessed.length > 2 * witnessedMax) this.#witnessed = this.#witnessed.slice(-witnessedMax);
  }

  async hasLost(): Promise<boolean> {
    const since = performance.now() - witnessedMs;
    this.#witnessed = this.#witnessed.filter(({ at }) => at > since);
    if (this.#witnessed.length === 0) return false;
    const attempts = this.#witnessed.map(({ attempt }) => attempt);
    const [row] = await this.#database.read((sql) =>
      sql.rows<{ found: number }>('SELECT count(*) AS found FROM attempts WHERE id = ANY ($1)', [attempts]),
    );
    return (row?.found ?? 0) < attempts.length;
  }

  acceptLoss(): void {
    this.#witnessed = [];
  }

  raise(epoch: number, now: number): Promise<ClusterIdentity> {
    return this.#database.change(async (sql) =>
      only(
        await sql.rows<ClusterIdentity>(
          `UPDATE catalog_state SET epoch = greatest(epoch, $1), epoch_at = $2 RETURNING ${columns}`,
          [epoch, now],
        ),
      ),
    );
  }
}

function only(rows: readonly ClusterIdentity[]): ClusterIdentity {
  const [row] = rows;
  if (row === undefined) throw new Error('The catalog has no row of state.');
  return row;
}
