import type { PostgresServer } from './postgres-server.ts';

/**
 * Fills an empty catalog with names of one version and one part, in a tenant of their own: by statements, because a million commits would take an
 * hour. Afterwards the tables are as those commits would have left them, and PostgreSQL has counted them.
 */
export async function seedNames(
  server: PostgresServer,
  url: string,
  count: number,
  tenant: string,
): Promise<void> {
  await server.query(
    `BEGIN;
     -- What triggers would check and count row by row is right by itself.
     SET LOCAL session_replication_role = replica;
     INSERT INTO tenants (tenant, frames, bytes, arrow_bytes) VALUES ('${tenant}', ${count}, ${100 * count}, ${100 * count});
     INSERT INTO schemas (hash, message, columns) VALUES ('seeded', '\\x00', '[{"name":"a","type":"LONG"}]');
     INSERT INTO names (tenant, lower, name, frame_id, next_version, newest, kept, oldest_at)
       SELECT '${tenant}', 'frame.' || n, 'frame.' || n, 'id' || n, 2, 1, 1, 0 FROM generate_series(1, ${count}) n;
     INSERT INTO versions (name_id, version, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format)
       SELECT n.id, 1, 1, 1, 10, 100, s.id, 0, 'upload', 'arrow' FROM names n CROSS JOIN schemas s WHERE s.hash = 'seeded';
     INSERT INTO positions SELECT name_id, version, version_id, rows FROM versions;
     INSERT INTO version_runs SELECT name_id, version, NULL FROM versions;
     INSERT INTO parts (part_id, name_id, log, seq, first_row, rows, arrow_bytes, size, added_at)
       SELECT 'part' || id, id, 1, 0, 0, 10, 100, 100, 0 FROM names;
     INSERT INTO objects SELECT p.id, 'arrow', 0, 'key' || p.id, 100, 'sha' FROM parts p;
     INSERT INTO attempts SELECT 'attempt' || n, 0, '' FROM generate_series(1, ${count}) n;
     COMMIT;
     ANALYZE`,
    url,
  );
}
