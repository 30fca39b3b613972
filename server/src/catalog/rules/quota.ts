import { FrameholdError } from '../../model/errors.ts';
import type { TenantQuota } from '../../model/limits/tenant-limit-values.ts';
import type { TenantUsage } from '../../ports/catalog/versions.ts';

/** Refuses a change that has brought a tenant to this usage. */
export function checkQuota({ frames, bytes }: TenantUsage, quota: TenantQuota, created: boolean): void {
  if (created && quota.framesMax !== null && frames > quota.framesMax) throw framesExceeded(quota.framesMax);
  if (quota.bytesMax !== null && bytes > quota.bytesMax) throw bytesExceeded(quota.bytesMax);
}

export function framesExceeded(framesMax: number): FrameholdError {
  return quotaExceeded(`${framesMax} frames`, 'frames_max');
}

export function bytesExceeded(bytesMax: number): FrameholdError {
  return quotaExceeded(`${bytesMax} bytes`, 'bytes_max');
}

function quotaExceeded(limit: string, setting: string): FrameholdError {
  return new FrameholdError('quota_exceeded', `The tenant may hold ${limit}, and would hold more.`, {
    hint: `Drop frames with purge, drop versions, or let them expire. The limit is tenant.${setting}.`,
  });
}
