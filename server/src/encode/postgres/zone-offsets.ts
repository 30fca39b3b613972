import { LruCache } from '../../base/lru-cache.ts';
import { FrameholdError } from '../../model/errors.ts';

/** The calendar repeats after 400 years. */
const cycleSeconds = 146_097 * 86_400;
/** From the year 2500 on the rules of a zone do not change any more: a later second is looked up in a year of the cycle before. JavaScript's dates end in the year 275760. */
const lastYearSecond = 16_725_225_600;
/** No zone changes its offset twice in this time. */
const spanSeconds = 4 * 3_600;
/** About ten years of spans: a session reads neighbouring times. A span takes some 200 bytes. */
const spansMax = 20_000;
/** Most sessions have one of a few; a format holds some 50 kB. */
const formatsMax = 50;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

const nowhere: Span = { start: 0, end: 0, offset: 0 };

/** By name; null: UTC. Each statement asks for that of its session, and to make one takes about a millisecond. */
const formats = new LruCache<{ readonly format: Intl.DateTimeFormat | null }>({ entriesMax: formatsMax });

/** How far a time zone is from UTC, by instant. The rules are those of the server's own time zone database. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #spans = new Map<number, readonly Span[]>();
  #last: Span = nowhere;

  /** bad_request for a zone that nobody knows. */
  constructor(name: string) {
    this.#format = name === 'UTC' ? null : formatOf(name);
  }

  /** Seconds east of UTC at a second since 1970. */
  at(second: number): number {
    if (this.#format === null) return 0;
    const inCycle =
      second < lastYearSecond
        ? second
        : second - Math.ceil((second - lastYearSecond + 1) / cycleSeconds) * cycleSeconds;
    const last = this.#last;
    if (inCycle >= last.start && inCycle < last.end) return last.offset;
    const number = Math.floor(inCycle / spanSeconds);
    let spans = this.#spans.get(number);
    if (spans === undefined) {
      if (this.#spans.size >= spansMax) this.#spans.clear();
      spans = this.#spansOf(number * spanSeconds, this.#format);
      this.#spans.set(number, spans);
    }
    this.#last = spans.find(({ end }) => inCycle < end) as Span;
    return this.#last.offset;
  }

  #spansOf(start: number, format: Intl.DateTimeFormat): readonly Span[] {
    const end = start + spanSeconds;
    const first = offsetAt(format, start);
    const last = offsetAt(format, end - 1);
    if (first === last) return [{ start, end, offset: first }];
    let low = start;
    let high = end - 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(format, middle) === first) low = middle;
      else high = middle;
    }
    return [
      { start, end: high, offset: first },
      { start: high, end, offset: last },
    ];
  }
}

function offsetAt(format: Intl.DateTimeFormat, second: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(second * 1_000)) parts[type] = value;
  const { era, year, month, day, hour, minute } = parts;
  const local = new Date(0);
  local.setUTCFullYear(era === 'AD' ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day));
  local.setUTCHours(Number(hour), Number(minute), Number(parts.second));
  return local.getTime() / 1_000 - second;
}

/** null: UTC. */
function formatOf(name: string): Intl.DateTimeFormat | null {
  const known = formats.get(name);
  if (known !== undefined) return known.format;
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
    const format = made.resolvedOptions().timeZone === 'UTC' ? null : made;
    formats.set(name, { format });
    return format;
  } catch (cause) {
    throw new FrameholdError('bad_request', `There is no time zone ${JSON.stringify(name)}.`, {
      hint: 'Use a name of the IANA database, such as UTC or Europe/Berlin.',
      sqlState: '22023',
      cause,
    });
  }
}
