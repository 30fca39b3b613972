import type { Aggregate, ColumnRole } from './chart-choice.ts';

export interface ChartSeries {
  readonly name: string;
  /** What is drawn: a double, near enough for a pixel. */
  readonly values: readonly (number | null)[];
  /** What is said: the exact value. */
  readonly texts: readonly (string | null)[];
  /** The least and the greatest value of each bin. */
  readonly band?: {
    readonly low: readonly (number | null)[];
    readonly high: readonly (number | null)[];
    readonly texts: readonly (string | null)[];
  };
}

/** A chart's data: one place on the x axis for each point, and the values of all series there. */
export interface ChartPoints {
  readonly xName: string;
  readonly xRole: Exclude<ColumnRole, 'other'>;
  /** Seconds since 1970 for times, the number of the category for categories. */
  readonly x: readonly number[];
  readonly xTexts: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Of a bin, in units of x; null if the points are single rows. */
  readonly binWidth: number | null;
  /** What a reader must know: that these are averages, a sample, or not all. */
  readonly notes: readonly string[];
}

/** Seconds since 1970; null for what is no time of the calendar. Text as in cells: `2024-02-29T12:30:00.123456789Z`, with or without `Z`. */
export function secondsOf(text: string): number | null {
  const at = text.indexOf('.');
  const whole = at < 0 ? text.replace('Z', '') : text.slice(0, at);
  const fraction = at < 0 ? 0 : Number(`0${text.slice(at).replace('Z', '')}`);
  const ms = Date.parse(whole.includes('T') ? `${whole}Z` : whole);
  return Number.isNaN(ms) || Number.isNaN(fraction) ? null : ms / 1_000 + fraction;
}

/** Null for NaN and the infinities, which have no place in a chart. */
export function numberOf(text: string | null): number | null {
  if (text === null) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

export function placeOf(role: ColumnRole, text: string | null): number | null {
  if (text === null) return null;
  return role === 'time' ? secondsOf(text) : numberOf(text);
}

/** Values that fall onto the same place, put together. A single one keeps its exact text. */
export class Collected {
  #count = 0;
  #sum = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  #only: string | null = null;

  add(value: number | null, text: string | null): void {
    if (value === null) return;
    this.#count += 1;
    this.#sum += value;
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
    this.#only = this.#count === 1 ? text : null;
  }

  value(aggregate: Aggregate): number | null {
    if (aggregate === 'count') return this.#count;
    if (this.#count === 0) return null;
    if (aggregate === 'sum') return this.#sum;
    if (aggregate === 'min') return this.#least;
    return aggregate === 'max' ? this.#greatest : this.#sum / this.#count;
  }

  text(aggregate: Aggregate): string | null {
    if (aggregate !== 'count' && this.#only !== null) return this.#only;
    const value = this.value(aggregate);
    return value === null ? null : `${value}`;
  }
}
