const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

/** Days from 1970-01-01 in the Gregorian calendar; null where there is no such day. */
export function dayNumber(year: number, month: number, day: number): number | null {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const before = daysBefore[month - 1];
  if (before === undefined || day < 1) return null;
  const length = month === 2 ? (leap ? 29 : 28) : (daysBefore[month] ?? 365) - before;
  if (day > length) return null;
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const untilYear = past * 365 + leapDays;
  const until1970 = 719_162;
  return untilYear - until1970 + before + (leap && month > 2 ? 1 : 0) + day - 1;
}
