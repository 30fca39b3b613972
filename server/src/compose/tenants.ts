import { mkdirSync } from 'node:fs';
import { CredentialStore } from '../auth/credential-store.ts';
import { readUsage } from '../catalog/sqlite/tenants/usage-at-rest.ts';
import type { Settings } from '../config/settings.ts';
import { tenantLimitValues } from '../config/tenant-limits.ts';
import type { TenantDirectory } from '../frames/ports/tenant-directory.ts';
import { noTenant } from '../frames/tenants/tenant.ts';
import { dataPaths } from './data-paths.ts';

/** The tenants of a data directory, for the command line. A running server notices changes. */
export function composeTenants(settings: Settings): TenantDirectory {
  const paths = dataPaths(settings);
  mkdirSync(paths.directory, { recursive: true });
  const store = CredentialStore.open(paths.credentials);
  const serverLimits = tenantLimitValues(settings);
  return {
    list() {
      const usage = readUsage(paths.catalog);
      const limits = store.limits.all();
      const credentials = store.all().map(({ tenant }) => tenant);
      const names = new Set([...usage.keys(), ...limits.keys(), ...credentials]);
      names.delete(noTenant);
      return [...names].sort().map((tenant) => {
        const set = limits.get(tenant) ?? {};
        const held = usage.get(tenant) ?? { frames: 0, bytes: 0 };
        return { tenant, ...held, limits: { ...serverLimits, ...set }, limitsSet: set };
      });
    },
    show(tenant) {
      const held = readUsage(paths.catalog).get(tenant) ?? { frames: 0, bytes: 0 };
      const set = store.limits.all().get(tenant) ?? {};
      return { tenant, ...held, limits: { ...serverLimits, ...set }, limitsSet: set };
    },
    set: (tenant, changes) => store.limits.set(tenant, changes),
    close: () => store.close(),
  };
}
