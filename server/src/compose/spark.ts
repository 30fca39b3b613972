import { type StatementAllowlist, WorkerAllowlist } from '../../../engines/spark/src/allowlist/allowlist.ts';
import { SparkEngine, type SparkEngineOptions } from '../../../engines/spark/src/spark-engine.ts';
import type { SparkAccess, SparkApplication } from '../config/external/spark-access.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../ports/observation.ts';
import type { SqlEngine } from '../sql/engines.ts';
import { AddressedVersions } from '../sql/tables/addressed-versions.ts';
import type { Core } from './core.ts';

/** Loaded only if an application of Spark is configured. Which engine a tenant has; null: none. None of them needs Spark to run already. */
export async function composeSpark(
  settings: Settings,
  { shared, tenants }: SparkAccess,
  core: Core,
  made: AsyncDisposableStack,
): Promise<(tenant: string) => SqlEngine | null> {
  const versions = new AddressedVersions(core);
  const allowlist = made.adopt(new WorkerAllowlist(), (open) => open.close());
  const opened = new Map<string, SqlEngine>();
  const engineOf = async (application: SparkApplication): Promise<SqlEngine> => {
    // Tenants with the same application wait in the same queue.
    const key = JSON.stringify(application);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const options = engineOptions(settings, application, allowlist, core.observe);
    const engine = made.adopt(await SparkEngine.open(options), (open) => open.close());
    const sqlEngine: SqlEngine = { name: 'spark', engine, versions, results: core.results };
    opened.set(key, sqlEngine);
    return sqlEngine;
  };
  const usual = shared === null ? null : await engineOf(shared);
  const own = new Map<string, SqlEngine>();
  for (const [tenant, application] of tenants) own.set(tenant, await engineOf(application));
  return (tenant) => own.get(tenant) ?? usual;
}

/** Members that are getters read settings that may change (config/live-settings.ts). */
function engineOptions(
  settings: Settings,
  { url, token, caFile }: SparkApplication,
  allowlist: StatementAllowlist,
  observe: Observe,
): SparkEngineOptions {
  return {
    url,
    token,
    caFile,
    allowlist,
    get statementsMax() {
      return settings['spark.statements_max'];
    },
    get queueMax() {
      return settings['spark.queue_max'];
    },
    get queueWaitMs() {
      return settings['spark.queue_wait_ms'];
    },
    get timeoutMs() {
      return settings['spark.timeout_ms'];
    },
    observe,
  };
}
