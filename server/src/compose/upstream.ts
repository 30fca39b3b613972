import type { TsdbAccess } from '../config/external/tsdb-access.ts';
import type { Settings } from '../config/settings.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { Log } from '../telemetry/log.ts';

/** null: no external database is configured. */
export async function composeUpstream(
  settings: Settings,
  database: TsdbAccess | null,
  log: Log,
  made: AsyncDisposableStack,
): Promise<Upstream | null> {
  if (database === null) return null;
  const { TsdbClient } = await import('../upstream/tsdb-client.ts');
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
