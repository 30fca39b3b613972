/** A line of the audit log, as the log has it. */
export interface AuditLine {
  readonly action: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly tenant: string | null;
  readonly caller: string | null;
  readonly frame: string | null;
  readonly statement: string | null;
  readonly remote: string | null;
  readonly requestId: string | null;
}

export function auditLines(lines: readonly string[]): AuditLine[] {
  return lines
    .filter((line) => line.includes('"event":"audit"'))
    .map((line) => JSON.parse(line) as AuditLine);
}
