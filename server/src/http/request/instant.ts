import { FrameholdError } from '../../model/errors.ts';

const pattern = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

/** A time as RFC 3339 writes it, to the millisecond, as milliseconds since 1970. bad_request for any other text. */
export function parseInstant(member: string, text: string): number {
  const [, year, month, day] = pattern.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(text);
  // Date.parse takes 30 February for a day in March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!Number.isNaN(ms) && isDay) return ms;
  throw new FrameholdError(
    'bad_request',
    `${member} is ${JSON.stringify(text.slice(0, 40))}, which is not a time with a time zone.`,
    { hint: 'Write it as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00.000+01:00.' },
  );
}
