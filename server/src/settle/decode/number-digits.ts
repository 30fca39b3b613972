/** Every decimal number of up to 15 digits comes back from a double; from 18 on none that uses them all does. */
const digitsAlways = 15;
const digitsSometimes = 17;
/** Below it doubles have fewer digits. */
const normalMin = 2.2250738585072014e-308;

/** Whether a double holds the number without losing a digit: written with as many digits as the text has, it is the same again. The text is a number. */
export function fitsDouble(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  // Fifteen characters cannot hold more than fifteen digits, and without an exponent they are not small.
  if (text.length <= digitsAlways && !/e/i.test(text)) return true;
  // What programs write is mostly the shortest text of a double.
  if (String(value) === text) return true;
  const digits = significantDigits(text);
  if (digits.length === 0) return true;
  if (digits.length > digitsSometimes || value === 0) return false;
  if (digits.length <= digitsAlways && Math.abs(value) >= normalMin) return true;
  return significantDigits(value.toExponential(digits.length - 1)) === digits;
}

/** Of the number's digits those between the first and the last that is not zero. */
function significantDigits(text: string): string {
  const end = text.search(/[eE]/);
  const mantissa = end === -1 ? text : text.slice(0, end);
  return mantissa
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
}
