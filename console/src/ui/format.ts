/** Short texts for people. Where a value is shortened, its exact text belongs into the title beside it. */

const numbers = new Intl.NumberFormat('en-US');

/** 1,234,567 */
export function countText(count: number): string {
  return numbers.format(count);
}

/** `1 row`, `2 rows` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** 12.3 MB */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

const steps = [
  { ms: 86_400_000, unit: 'd' },
  { ms: 3_600_000, unit: 'h' },
  { ms: 60_000, unit: 'min' },
  { ms: 1_000, unit: 's' },
] as const;

/** `3 min`, rounded down; `0 s` below a second. */
export function spanText(ms: number): string {
  for (const { ms: stepMs, unit } of steps) if (ms >= stepMs) return `${Math.floor(ms / stepMs)} ${unit}`;
  return '0 s';
}

/** A year of days says less than a date. */
const agoMsMax = 60 * 86_400_000;

/** `3 min ago`, `just now`, or a date if it is long ago. */
export function agoText(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms > agoMsMax) return iso.slice(0, 10);
  return ms < 5_000 ? 'just now' : `${spanText(ms)} ago`;
}

/** `in 3 h`, or a date if it is far away. */
export function untilText(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  if (ms > agoMsMax) return iso.slice(0, 10);
  if (ms <= 0) return 'expired';
  // Rounded, not cut: who has just chosen seven days must not read six.
  const { ms: stepMs = 1_000 } = steps.find(({ ms: each }) => ms >= 0.95 * each) ?? {};
  return `in ${spanText(Math.max(stepMs, Math.round(ms / stepMs) * stepMs))}`;
}

/** The exact time, for a title: the reader's own clock, with the zone. */
export function timeText(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
}

/** `84 ms`, `1.24 s`, `2 min 5 s` */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}
