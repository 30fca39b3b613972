import { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { ConnectClient } from '../connect/connect-client.ts';
import { ConnectError } from '../connect/connect-error.ts';
import type { ConnectSession } from '../connect/connect-session.ts';

/**
 * A session that nobody else has, with every setting set and read back. engine_failed if Spark has another value: then the allowlist and
 * Spark might read a statement differently, so none is sent.
 */
export async function openSession(
  client: ConnectClient,
  settings: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<ConnectSession> {
  const session = client.session();
  try {
    await session.setConfig(settings, signal);
    await readBack(session, settings, signal);
    return session;
  } catch (error) {
    // A caller must not wait for words to somebody who does not answer. It never throws.
    const released = session.release();
    if (!(error instanceof ConnectError && error.reason === 'unreachable')) await released;
    throw error;
  }
}

/** engine_failed if a setting has another value than this. */
export async function readBack(
  session: ConnectSession,
  settings: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const found = await session.getConfig([...settings.keys()], signal);
  for (const [key, value] of settings) {
    const actual = found.get(key) ?? null;
    if (actual !== value) throw otherValue(key, value, actual);
  }
}

function otherValue(key: string, wanted: string, actual: string | null): FrameholdError {
  const text = actual === null ? 'no value' : JSON.stringify(actual);
  return new FrameholdError('engine_failed', 'Spark does not keep the settings that its sessions need.', {
    cause: new Error(`${key} was set to ${JSON.stringify(wanted)} and reads as ${text}`),
    hint: 'The log has the setting. Check the version of Spark, its configuration and its extensions.',
  });
}
