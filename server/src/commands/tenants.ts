import type { Settings } from '../config/settings.ts';
import { tenantLimitValues } from '../config/tenant-limits.ts';
import type { SetLimits } from '../model/limits/tenant-limit-values.ts';
import { noTenant } from '../model/tenant.ts';
import type { TenantUsage } from '../ports/catalog/versions.ts';
import type { ListedTenant, TenantDirectory } from '../ports/tenant-directory.ts';
import { openCredentialAdmin } from './credential-admin.ts';

/** The tenants of a data directory or of a shared catalog, for the command line. Running servers notice changes. */
export async function composeTenants(settings: Settings): Promise<TenantDirectory> {
  const book = await openCredentialAdmin(settings);
  const serverLimits = tenantLimitValues(settings);
  const listed = (
    tenant: string,
    usage: ReadonlyMap<string, TenantUsage>,
    limits: ReadonlyMap<string, SetLimits>,
  ): ListedTenant => {
    const { frames, bytes } = usage.get(tenant) ?? { frames: 0, bytes: 0 };
    const limitsSet = limits.get(tenant) ?? {};
    return { tenant, frames, bytes, limits: { ...serverLimits, ...limitsSet }, limitsSet };
  };
  return {
    async list() {
      const [usage, limits, credentials] = [await book.usage(), await book.limits(), await book.all()];
      const names = new Set([...usage.keys(), ...limits.keys(), ...credentials.map(({ tenant }) => tenant)]);
      names.delete(noTenant);
      return [...names].sort().map((tenant) => listed(tenant, usage, limits));
    },
    show: async (tenant) => listed(tenant, await book.usage(), await book.limits()),
    set: async (tenant, changes) => book.setLimits(tenant, changes),
    close: async () => book.close(),
  };
}
