import type { ClusterIdentity } from '../ports/cluster-identity.ts';
import type { Database } from '../postgres/database.ts';
import { describeNewer, knownMigrations, newerTables, newestOf } from '../postgres/migrations.ts';
import { PostgresIdentity } from '../postgres/postgres-identity.ts';
import { type Finding, found, problem } from './finding.ts';

/** What a server of this release would find in a PostgreSQL that answers. `identity`: null if no server has used it yet. */
export async function examineTables(
  database: Database,
): Promise<{ readonly finding: Finding; readonly identity: ClusterIdentity | null }> {
  const isUsed = await database.read(async (sql) => {
    const row = await sql.first<{ used: boolean }>("SELECT to_regclass('migrations') IS NOT NULL AS used");
    return row?.used === true;
  });
  if (!isUsed)
    return {
      finding: found('catalog', 'PostgreSQL answers; the first node makes its tables'),
      identity: null,
    };
  const identity = await new PostgresIdentity(database).identity();
  const known = newestOf(knownMigrations());
  const newer = await database.read((sql) => newerTables(sql, known));
  const finding =
    newer === null
      ? found('catalog', 'PostgreSQL answers')
      : problem('catalog', describeNewer(newer, known), 'Install the newer server.');
  return { finding, identity };
}
