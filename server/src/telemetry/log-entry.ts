export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogThreshold = (typeof logLevels)[number];
export type LogLevel = Exclude<LogThreshold, 'silent'>;

export interface LogEntry {
  /** What happened, in a word or two with hyphens. */
  readonly event: string;
  readonly [field: string]: unknown;
}
