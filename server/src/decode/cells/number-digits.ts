/** Every decimal number of up to 15 digits comes back from a double; from 18 on none that uses them all does. */
const digitsAlways = 15;
const digitsSometimes = 17;
/** Below it doubles have fewer digits. */
const normalMin = 2.2250738585072014e-308;

/** A longer text is no number for us, and stays text: every double and every DECIMAL has a shorter one. */
export const numberCharactersMax = 400;

/** Whether a double holds the number without losing a digit: written with as many digits as the text has, it is the same again. The text is a number. */
export function fitsDouble(text: string): boolean {
  if (text.length > numberCharactersMax) return false;
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

/** Of the number's digits those between the first and the last that is not zero. Patterns such as /0+$/ take quadratic time. */
function significantDigits(text: string): string {
  let digits = '';
  let zeros = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x45 || code === 0x65) break;
    if (code < 0x30 || code > 0x39) continue;
    if (code === 0x30) {
      if (digits !== '') zeros++;
      continue;
    }
    digits += '0'.repeat(zeros) + String.fromCharCode(code);
    zeros = 0;
  }
  return digits;
}
