import type { Settings } from '../config/settings.ts';
import type { flightLimitNames } from '../flight/listener.ts';
import type { httpLimitNames } from '../http/listener.ts';
import {
  type PostgresDependencies,
  type PostgresListener,
  postgresLimitNames,
  startPostgresListener,
} from '../pgwire/listener.ts';
import type { ConnectionLimits } from '../sockets/open-connections.ts';

export type PostgresListenerDependencies = PostgresDependencies;

/** null: it is not configured. */
export async function composePostgres(
  settings: Settings,
  dependencies: PostgresListenerDependencies,
): Promise<PostgresListener | null> {
  const address = settings['postgres.bind_address'];
  if (address === undefined) return null;
  return await startPostgresListener(
    {
      address,
      connections: connectionLimits(settings, postgresLimitNames),
      limits: {
        // Read each time: it may change (config/live-settings.ts).
        get tenantConnectionsMax() {
          return settings['postgres.tenant_connections_max'];
        },
        messageBytesMax: settings['postgres.message_bytes_max'],
        messageMemoryMax: settings['postgres.message_memory_max'],
        textBytesMax: settings['sql.text_bytes_max'],
      },
      times: {
        loginMs: settings['postgres.login_timeout_ms'],
        idleMs: settings['postgres.idle_ms'],
        idleTransactionMs: settings['postgres.idle_transaction_ms'],
        portalMs: settings['postgres.portal_idle_ms'],
        answerMs: settings['postgres.answer_timeout_ms'],
      },
      allowPlaintext: settings['postgres.allow_plaintext'],
    },
    dependencies,
  );
}

/** As the settings are now: they may change while the server runs. */
export function connectionLimits(
  settings: Settings,
  names: typeof httpLimitNames | typeof flightLimitNames | typeof postgresLimitNames,
): ConnectionLimits {
  return {
    get maxConnections() {
      return settings[names.maxConnections];
    },
    get unauthenticatedMax() {
      return settings[names.unauthenticatedMax];
    },
    get perAddressMax() {
      return settings[names.perAddressMax];
    },
  };
}
