import { FrameholdError } from './errors.ts';

const unitMs: Readonly<Record<string, number>> = {
  '': 1_000,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** A hundred years: a larger value is more likely a typing error. */
const ttlDaysMax = 36_500;

/** A time to live: seconds (`3600`) or with a unit (`90s`, `15m`, `12h`, `30d`). */
export function parseTtlMs(text: string): number {
  const match = /^(\d{1,12})(s|m|h|d|)$/.exec(text);
  const ms = match === null ? Number.NaN : Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN);
  if (!(ms > 0 && ms <= ttlDaysMax * 86_400_000)) {
    throw new FrameholdError(
      'bad_request',
      `ttl=${JSON.stringify(text.slice(0, 40))} is not a time to live.`,
      {
        hint: `Give seconds (3600) or a number with s, m, h or d (30d), above 0 and at most ${ttlDaysMax}d.`,
      },
    );
  }
  return ms;
}
