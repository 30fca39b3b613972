/** The proleptic Gregorian calendar. Days are counted from 1970-01-01, as Arrow does. */

const daysPerEra = 146_097;
/** From 0000-03-01, where an era of 400 years begins, to 1970-01-01. */
const epochDays = 719_468;

/** `2024-02-29`; years before 0 and after 9999 have a sign and at least six digits, as in ISO 8601. */
export function dateText(day: number): string {
  const shifted = day + epochDays;
  const era = Math.floor(shifted / daysPerEra);
  const dayOfEra = shifted - era * daysPerEra;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  // The year begins in March, so that the leap day is its last.
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

/** `HH:MM:SS`. Times outside a day, which only broken data has, keep their value: `25:00:00`. */
export function clockText(second: number): string {
  const hours = Math.floor(second / 3_600);
  const minutes = Math.floor((second - hours * 3_600) / 60);
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(second - hours * 3_600 - minutes * 60)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return `${year}`.padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${`${Math.abs(year)}`.padStart(6, '0')}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
