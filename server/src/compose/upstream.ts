import type { Settings } from '../config/settings.ts';
import type { TsdbAccess } from '../config/tsdb-access.ts';
import type { Upstream } from '../frames/ports/upstream.ts';
import type { Log } from '../telemetry/log.ts';
import { TsdbClient } from '../upstream/tsdb-client.ts';

/** null: no external database is configured. */
export function composeUpstream(
  settings: Settings,
  database: TsdbAccess | null,
  log: Log,
  made: AsyncDisposableStack,
): Upstream | null {
  if (database === null) return null;
  const { url, authorization, isExposed } = database;
  const client = new TsdbClient({
    url,
    authorization,
    timeoutMs: settings['tsdb.timeout_ms'],
    connectionsMax: settings['tsdb.connections_max'],
    urlBytesMax: settings['tsdb.url_bytes_max'],
  });
  if (isExposed) log.write('warn', { event: 'tsdb-credential-unencrypted', url });
  return made.adopt(client, (open) => open.close());
}
