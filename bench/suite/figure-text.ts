/** Three digits, or all before the point: 0.0512, 3.14, 26,496. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(6, Math.max(0, 2 - magnitude));
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Microseconds to seconds, with a unit that fits. */
export function secondsText(seconds: number): string {
  if (seconds >= 1) return `${figureText(seconds)} s`;
  return seconds >= 0.001 ? `${figureText(seconds * 1e3)} ms` : `${figureText(seconds * 1e6)} µs`;
}
