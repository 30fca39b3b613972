import {
  type LimitName,
  type LimitRules,
  limitNames,
  type TenantLimitValues,
} from '../model/limits/tenant-limit-values.ts';
import { type SettingKey, type Settings, settingOf } from './settings.ts';

/** The setting for tenants without their own limit. */
export const limitSettings = {
  bytesMax: 'tenant.bytes_max',
  framesMax: 'tenant.frames_max',
  queriesMax: 'tenant.queries_max',
  streamsMax: 'tenant.streams_max',
  requestsPerSecond: 'tenant.requests_per_second',
  requestsBurst: 'tenant.requests_burst',
} as const satisfies Record<LimitName, SettingKey>;

export function tenantLimitValues(settings: Settings): TenantLimitValues {
  return {
    bytesMax: settings['tenant.bytes_max'] ?? null,
    framesMax: settings['tenant.frames_max'] ?? null,
    queriesMax: settings['tenant.queries_max'] ?? null,
    streamsMax: settings['tenant.streams_max'] ?? null,
    requestsPerSecond: settings['tenant.requests_per_second'] ?? null,
    requestsBurst: settings['tenant.requests_burst'],
  };
}

/** A limit of one tenant has the same values as the setting, written in the same ways. */
export const limitRules = Object.fromEntries(
  limitNames.map((name) => {
    const { kind } = settingOf(limitSettings[name]);
    const parse = (raw: unknown) =>
      kind.parse(raw, { home: undefined, directory: '/' }) as number | undefined;
    return [name, { parse, allowed: kind.allowed }];
  }),
) as unknown as LimitRules;
