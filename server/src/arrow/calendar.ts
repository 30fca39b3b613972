/** The proleptic Gregorian calendar, for every day that 64 bits of seconds can reach. Days are counted from 1970-01-01, as Arrow does. */

const daysPerEra = 146_097;
/** From 0000-03-01, where an era begins, to 1970-01-01. */
const epochDays = 719_468;

/** Year, month and day of a day's number. */
export class CivilDate {
  year = 0;
  month = 0;
  day = 0;

  /** Sets all three, so that a column of dates costs no allocation. */
  set(dayNumber: number): void {
    const shifted = dayNumber + epochDays;
    const era = Math.floor(shifted / daysPerEra);
    const dayOfEra = shifted - era * daysPerEra;
    const leapDays =
      Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
    const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
    // The year begins in March, so that the leap day is its last.
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
    this.day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
    this.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    this.year = era * 400 + yearOfEra + (this.month <= 2 ? 1 : 0);
  }
}

const civil = new CivilDate();

/** `2024-02-29`; years before 0 and after 9999 in ISO 8601's expanded form: a sign and at least six digits. */
export function dateText(day: number): string {
  civil.set(day);
  return `${yearText(civil.year)}-${twoDigits(civil.month)}-${twoDigits(civil.day)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return `${year}`.padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${`${Math.abs(year)}`.padStart(6, '0')}`;
}

/** `HH:MM:SS` of a second of the day. Times outside a day, which only broken data has, keep their value: `25:00:00`. */
export function clockText(second: number): string {
  const hours = Math.floor(second / 3_600);
  const minutes = Math.floor((second - hours * 3_600) / 60);
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(second - hours * 3_600 - minutes * 60)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

/** The number of a day; null if there is no such day. */
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
