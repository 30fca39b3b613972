import type { Settings } from '../config/settings.ts';
import type { DatabaseOptions } from '../postgres/database.ts';

/** null: the catalog is in the data directory. Loads nothing of PostgreSQL. */
export function databaseOptions(settings: Settings): DatabaseOptions | null {
  const url = settings['catalog.url'];
  if (url === undefined) return null;
  return {
    url,
    passwordFile: settings['catalog.password_file'],
    caFile: settings['catalog.ca_file'],
    connectionsMax: settings['catalog.connections_max'],
    timeoutMs: settings['catalog.timeout_ms'],
  };
}
