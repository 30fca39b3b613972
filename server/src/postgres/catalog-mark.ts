import type { CatalogMark, MarkedCatalog } from '../frames/ports/catalog-mark.ts';
import type { Database } from './database.ts';

const columns = 'catalog_id AS "catalogId", epoch';

/** The mark of the catalog in its one row of state. */
export class PostgresMark implements MarkedCatalog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async mark(): Promise<CatalogMark> {
    return only(
      await this.#database.read((sql) => sql.rows<CatalogMark>(`SELECT ${columns} FROM catalog_state`)),
    );
  }

  advance(intervalMs: number, now: number): Promise<CatalogMark> {
    return this.#database.change(async (sql) => {
      sql.send('UPDATE catalog_state SET epoch = epoch + 1, epoch_at = $1 WHERE epoch_at <= $2', [
        now,
        now - intervalMs,
      ]);
      return only(await sql.rows<CatalogMark>(`SELECT ${columns} FROM catalog_state`));
    });
  }

  raise(epoch: number, now: number): Promise<CatalogMark> {
    return this.#database.change(async (sql) =>
      only(
        await sql.rows<CatalogMark>(
          `UPDATE catalog_state SET epoch = greatest(epoch, $1), epoch_at = $2 RETURNING ${columns}`,
          [epoch, now],
        ),
      ),
    );
  }
}

function only(rows: readonly CatalogMark[]): CatalogMark {
  const [row] = rows;
  if (row === undefined) throw new Error('The catalog has no row of state.');
  return row;
}
