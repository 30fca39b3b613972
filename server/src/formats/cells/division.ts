/** The proleptic Gregorian calendar, for every day that 64 bits of seconds can reach. */

const daysPerEra = 146_097;
/** From 0000-03-01, where an era begins, to 1970-01-01. */
const epochDays = 719_468;

let lastDay = Number.NaN;
let lastDateText = '';

/** `2024-02-29`; years before 0 and after 9999 in ISO 8601's expanded form: a sign and at least six digits. */
export function dateText(day: number): string {
  // Neighbouring rows are mostly of the same day.
  if (day === lastDay) return lastDateText;
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
  lastDay = day;
  lastDateText = `${yearText(year)}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
  return lastDateText;
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

const high32 = 4_294_967_296;

/**
 * Exact division of a 64-bit integer, given as two words, with the remainder from 0 up to the divisor. `quotient` and `remainder` are set on the
 * object, so that a column costs no allocation. The quotient must fit 2^53 and the divisor 2^30.
 */
export class Division {
  quotient = 0;
  remainder = 0;

  divide(low: number, high: number, divisor: number): void {
    // The double is off by one at most; the remainder's low 32 bits are exact and show it.
    let quotient = Math.floor((high * high32 + (low >>> 0)) / divisor);
    let remainder = (low - Math.imul(quotient | 0, divisor)) | 0;
    if (remainder < 0) {
      quotient -= 1;
      remainder += divisor;
    } else if (remainder >= divisor) {
      quotient += 1;
      remainder -= divisor;
    }
    this.quotient = quotient;
    this.remainder = remainder;
  }
}
