import { isDeepStrictEqual } from 'node:util';
import { type SettingKey, type Settings, settingKeys } from './settings.ts';

/** Settings that apply as soon as they are reloaded. They are read each time they are needed. */
const reloadable: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'logging.level',
  'http.limit_max',
  'http.connections_max',
  'http.unauthenticated_max',
  'http.connections_per_address_max',
  'server.max_connections',
  'server.unauthenticated_max',
  'server.connections_per_address_max',
  'postgres.connections_max',
  'postgres.tenant_connections_max',
  'postgres.unauthenticated_max',
  'postgres.connections_per_address_max',
  'storage.reserve_bytes',
  'frames.puts_max',
  'frames.reads_max',
  'frames.queue_max',
  'frames.queue_wait_ms',
  'events.streams_max',
  'events.tenant_streams_max',
  'sql.processes_max',
  'sql.queue_max',
  'sql.queue_wait_ms',
  'sql.timeout_ms',
  'sql.history_max',
  'spark.statements_max',
  'spark.queue_max',
  'spark.queue_wait_ms',
  'spark.timeout_ms',
  'tenant.bytes_max',
  'tenant.frames_max',
  'tenant.queries_max',
  'tenant.streams_max',
  'tenant.requests_per_second',
  'tenant.requests_burst',
]);

export function isReloadable(key: SettingKey): boolean {
  return reloadable.has(key);
}

export interface SettingChanges {
  /** In force now. */
  readonly changed: readonly SettingKey[];
  /** Differs from the value in force; only a restart applies it. */
  readonly needRestart: readonly SettingKey[];
}

/** The values in force while the server runs. */
export class LiveSettings {
  /** Always the same object. Its reloadable members change, the others stay as they were at the start. */
  readonly settings: Settings;
  readonly #values: Record<string, unknown>;

  constructor(atStart: Settings) {
    this.#values = { ...atStart };
    this.settings = Object.defineProperties(
      {},
      Object.fromEntries(settingKeys.map((key) => [key, { enumerable: true, get: () => this.#values[key] }])),
    ) as Settings;
  }

  apply(loaded: Settings): SettingChanges {
    const differing = settingKeys.filter((key) => !isDeepStrictEqual(this.#values[key], loaded[key]));
    const changed = differing.filter(isReloadable);
    for (const key of changed) this.#values[key] = loaded[key];
    return { changed, needRestart: differing.filter((key) => !isReloadable(key)) };
  }
}
