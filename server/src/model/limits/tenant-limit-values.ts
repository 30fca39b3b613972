/** Every limit of a tenant; null: none. */
export interface TenantLimitValues extends TenantQuota {
  /** Statements that wait or run. */
  readonly queriesMax: number | null;
  /** Puts and reads under way. */
  readonly streamsMax: number | null;
  readonly requestsPerSecond: number | null;
  /** Requests that may come at once after a pause. */
  readonly requestsBurst: number;
}

export type LimitName = keyof TenantLimitValues;

/** Each once, in the order in which they are shown. */
export const limitNames = [
  'bytesMax',
  'framesMax',
  'queriesMax',
  'streamsMax',
  'requestsPerSecond',
  'requestsBurst',
] as const satisfies readonly LimitName[];

/** What was set for one tenant. For the rest, the server's limits apply. */
export type SetLimits = Readonly<Partial<Record<LimitName, number>>>;

/** null restores the server's limit. */
export type LimitChanges = Readonly<Partial<Record<LimitName, number | null>>>;

/** What a value of a limit may be: the rules of the setting whose name it has. */
interface LimitRule {
  /** undefined if the value is not allowed. */
  parse(raw: unknown): number | undefined;
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
}

export type LimitRules = Readonly<Record<LimitName, LimitRule>>;

export function isLimitName(text: string): text is LimitName {
  return (limitNames as readonly string[]).includes(text);
}

/** null: the tenant has no quota. */
export function quotaOf({ framesMax, bytesMax }: TenantLimitValues): TenantQuota | null {
  return framesMax === null && bytesMax === null ? null : { framesMax, bytesMax };
}

/** For a log line. */
export function describeChanges(changes: LimitChanges): string {
  return Object.entries(changes)
    .map(([name, value]) => `${name}=${value ?? 'default'}`)
    .join(', ');
}

/** null: no limit. */
export interface TenantQuota {
  readonly framesMax: number | null;
  readonly bytesMax: number | null;
}
