import type { Settings } from '../config/settings.ts';
import type { LimitsInForce } from '../frames/limits/limits-in-force.ts';
import { Admission, type ServerLimit } from '../model/limits/admission.ts';
import { TenantSlots } from '../model/limits/tenant-slots.ts';

export interface Limits {
  readonly puts: Admission;
  readonly reads: Admission;
  /** Of tenants: puts and reads together. */
  readonly streams: TenantSlots;
  readonly tenantQueries: TenantSlots;
}

/** `nodes`: how many share the limits of tenants. */
export function composeLimits(settings: Settings, tenants: LimitsInForce, nodes: () => number): Limits {
  const streams = new TenantSlots('streams', (tenant) => tenants.of(tenant).streamsMax, nodes);
  return {
    puts: new Admission(serverLimit('puts', settings), streams),
    reads: new Admission(serverLimit('reads', settings), streams),
    streams,
    tenantQueries: new TenantSlots('queries', (tenant) => tenants.of(tenant).queriesMax, nodes),
  };
}

/** Each value is read when it is needed, because settings may change (config/live-settings.ts). */
function serverLimit(what: 'puts' | 'reads', settings: Settings): ServerLimit {
  return {
    what,
    get max() {
      return settings[`frames.${what}_max`];
    },
    get queueMax() {
      return settings['frames.queue_max'];
    },
    get waitMs() {
      return settings['frames.queue_wait_ms'];
    },
  };
}
