import { DatabaseSync } from 'node:sqlite';
import type { IntegrityCatalog } from '../../../ports/catalog/integrity.ts';
import type { MaintenanceCatalog } from '../../../ports/catalog/maintenance.ts';
import { refuseOtherLayout } from '../layout.ts';
import { createOperations } from '../thread/operations.ts';

export type SeenIntegrity = IntegrityCatalog & Pick<MaintenanceCatalog, 'known'> & { close(): void };

/** The server's groups of changes end within milliseconds. */
const busyTimeoutMs = 30_000;

/**
 * A catalog that a running server uses, looked at from another process. Nothing is recorded: the server keeps answers that it has made from what it read, and
 * would not know that they must go. It finds the same when it reads the objects itself.
 */
export function integrityBesideServer(path: string): SeenIntegrity {
  const db = new DatabaseSync(path);
  try {
    refuseOtherLayout(db, path);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    const { all } = createOperations(db);
    return {
      objects: async (after, limit) => all.objects(after, limit),
      knownDamage: async () => all.knownDamage(),
      scrubState: async () => all.scrubState(),
      integrity: async () => all.integrity(),
      known: async (keys) => all.known(keys),
      quarantined: async (after, limit) => all.quarantined(after, limit),
      clearDamage: async () => false,
      removeDamaged: async () => false,
      saveScrubState: async () => {},
      // Says what recording it would do.
      markDamaged: async (key, fault, now) => {
        db.exec('BEGIN IMMEDIATE');
        try {
          return all.markDamaged(key, fault, now);
        } finally {
          db.exec('ROLLBACK');
        }
      },
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
