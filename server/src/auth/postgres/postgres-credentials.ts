import { isLimitName, type LimitChanges, type SetLimits } from '../../model/limits/tenant-limit-values.ts';
import type { Changed, Credential, CredentialSource } from '../../ports/credential-source.ts';
import type { Database, Sql } from '../../postgres/database.ts';
import { credentialsMax, limitedTenantsMax, tooManyCredentials, tooManyLimits } from '../bounds.ts';
import { type CredentialRow, credentialOf, newRowOf } from '../credential-row.ts';
import { readMark } from './access-marks.ts';

/** Credentials and limits of tenants in the database that all nodes share. */
export class PostgresCredentials implements CredentialSource {
  readonly isDistant = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  credentialsSince(mark: number | null): Promise<Changed<readonly Credential[]> | null> {
    return this.#since('credentials', mark, allCredentials);
  }

  limitsSince(mark: number | null): Promise<Changed<ReadonlyMap<string, SetLimits>> | null> {
    return this.#since('limits', mark, allLimits);
  }

  all(): Promise<readonly Credential[]> {
    return this.#database.read(allCredentials);
  }

  limits(): Promise<ReadonlyMap<string, SetLimits>> {
    return this.#database.read(allLimits);
  }

  async add(credential: Credential): Promise<void> {
    await this.#database.change(async (sql) => {
      const count = await lockedCount(sql);
      if (count >= credentialsMax) throw tooManyCredentials(count);
      sql.send(insertCredential, newRowOf(credential));
    });
  }

  /** False, and nothing is added, if there is or was any. Of several nodes that try at the same moment one succeeds. */
  async addFirst(credential: Credential): Promise<boolean> {
    return this.#database.change(async (sql) => {
      if ((await lockedCount(sql)) > 0) return false;
      sql.send(insertCredential, newRowOf(credential));
      return true;
    });
  }

  /** False if there is none of this id. What was revoked before stays revoked as of then. */
  async revoke(id: string, now: number): Promise<boolean> {
    return this.#database.change(async (sql) => {
      await lockAccess(sql);
      const update = 'UPDATE credentials SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2';
      return (await sql.run(update, [now, id])) > 0;
    });
  }

  async setLimits(tenant: string, changes: LimitChanges): Promise<void> {
    await this.#database.change(async (sql) => {
      await lockAccess(sql);
      const counted = await sql.first<{ count: number }>(
        'SELECT count(DISTINCT tenant) AS count FROM tenant_limits WHERE tenant <> $1',
        [tenant],
      );
      if ((counted?.count ?? 0) >= limitedTenantsMax) throw tooManyLimits();
      for (const [name, value] of Object.entries(changes)) {
        if (value === null)
          sql.send('DELETE FROM tenant_limits WHERE tenant = $1 AND name = $2', [tenant, name]);
        else
          sql.send(
            `INSERT INTO tenant_limits VALUES ($1, $2, $3)
             ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value`,
            [tenant, name, value],
          );
      }
    });
  }

  /** The mark first: if something changes in between, the next look reads it once more. */
  async #since<Content>(
    what: 'credentials' | 'limits',
    mark: number | null,
    read: (sql: Sql) => Promise<Content>,
  ): Promise<Changed<Content> | null> {
    return this.#database.read(async (sql) => {
      const newest = await readMark(sql, what);
      return newest === mark ? null : { mark: newest, content: await read(sql) };
    });
  }
}

const insertCredential = 'INSERT INTO credentials VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)';

async function lockedCount(sql: Sql): Promise<number> {
  await lockAccess(sql);
  const counted = await sql.first<{ count: number }>('SELECT count(*) AS count FROM credentials');
  return counted?.count ?? 0;
}

/** One change at a time: they are rare, and what they count must not change meanwhile. */
async function lockAccess(sql: Sql): Promise<void> {
  await sql.rows('SELECT 1 FROM access_marks WHERE id = 1 FOR UPDATE');
}

async function allCredentials(sql: Sql): Promise<readonly Credential[]> {
  const rows = await sql.rows<CredentialRow>('SELECT * FROM credentials ORDER BY created_at, id LIMIT $1', [
    credentialsMax,
  ]);
  return rows.map(credentialOf);
}

async function allLimits(sql: Sql): Promise<ReadonlyMap<string, SetLimits>> {
  const limits = new Map<string, SetLimits>();
  const rows = await sql.rows<{ tenant: string; name: string; value: number }>('SELECT * FROM tenant_limits');
  // A newer node may know more of them.
  for (const { tenant, name, value } of rows)
    if (isLimitName(name)) limits.set(tenant, { ...limits.get(tenant), [name]: value });
  return limits;
}
