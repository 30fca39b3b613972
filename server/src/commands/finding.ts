/** One thing that `framehold doctor` looked at. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  /** What to do. */
  readonly remedy?: string;
}

export function found(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

export function problem(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'problem', detail, remedy };
}

export function warning(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warning', detail, remedy };
}

/** A time on a disk or in a database that is this much off is not explained by how long looking takes. */
const clockToleranceMs = 60_000;

/** The clock of this machine against a time from elsewhere. */
export function clockFinding(aheadMs: number, other: string, toleranceMs = clockToleranceMs): Finding {
  const seconds = Math.abs(aheadMs / 1_000).toFixed(1);
  if (Math.abs(aheadMs) <= toleranceMs) return found('clock', `agrees with ${other}`);
  return problem(
    'clock',
    `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}.`,
    'Set it, and keep it right with NTP (timedatectl set-ntp true).',
  );
}
