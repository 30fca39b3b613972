import { Database } from '../../src/postgres/database.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

/** A new database with all tables. */
export async function newCatalogDatabase(postgres: PostgresServer): Promise<string> {
  const url = await postgres.newDatabase();
  await migrate({ url, connectionsMax: 1, timeoutMs: 10_000 });
  return url;
}

/** As another process has it: with connections of its own. */
export function connectTo(url: string, timeoutMs = 5_000): Database {
  return new Database({ url, connectionsMax: 4, timeoutMs });
}
