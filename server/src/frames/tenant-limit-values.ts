import type { TenantQuota } from './ports/catalog.ts';
import type { TenantBounds } from './tenant-limits.ts';

/** Every limit of a tenant; null: none. */
export interface TenantLimitValues extends TenantQuota, TenantBounds {}

/** null where the tenant may hold whatever there is room for. */
export function quotaOf({ framesMax, bytesMax }: TenantLimitValues): TenantQuota | null {
  return framesMax === null && bytesMax === null ? null : { framesMax, bytesMax };
}
