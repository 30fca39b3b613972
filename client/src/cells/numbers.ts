/** The shortest text that reads back as the same double; `-0.0` and the words `NaN`, `Infinity` and `-Infinity` are kept apart. */
export function float64Text(value: number): string {
  return Object.is(value, -0) ? '-0.0' : `${value}`;
}

/** The shortest decimal that is nearest to this value among all of float32. */
export function float32Text(value: number): string {
  if (!Number.isFinite(value)) return `${value}`;
  if (Number.isInteger(value) && Math.abs(value) < 16_777_216) return float64Text(value);
  // Six digits survive a float32 for certain, so nothing shorter than six is missed; below the normal range fewer may do.
  const digitsMin = Math.abs(value) < 1.2e-38 ? 1 : 6;
  for (let digits = digitsMin; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return `${shorter}`;
    // The gap below a power of two is half the gap above it: the decimal next further from zero may do if the nearest does not.
    if (Number.isInteger(Math.log2(Math.abs(value)))) {
      const further = nextDecimal(value, digits);
      if (Math.fround(further) === value) return `${further}`;
    }
  }
  return `${Number(value.toPrecision(9))}`;
}

/** One more in the last of so many digits. */
function nextDecimal(value: number, digits: number): number {
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const whole = Number(mantissa.replace('.', ''));
  return Number(`${whole + Math.sign(whole)}e${Number(exponent) - (digits - 1)}`);
}

/** All digits, at most eleven: the shortest text among halves would write 65504 as 65500. */
export function float16Text(bits: number): string {
  return float64Text(float16Value(bits));
}

function float16Value(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** All digits, and as many behind the point as the scale says; a negative scale appends zeros. */
export function decimalText(value: bigint, scale: number): string {
  const integer = value.toString();
  if (scale === 0) return integer;
  if (scale < 0) return value === 0n ? integer : integer + '0'.repeat(-scale);
  const sign = value < 0n ? '-' : '';
  const digits = integer.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A two's complement integer of one to four words of 64 bits. */
export function wordsValue(words: BigUint64Array, index: number, perValue: number): bigint {
  const start = index * perValue;
  let value = BigInt.asIntN(64, words[start + perValue - 1] as bigint);
  for (let word = start + perValue - 2; word >= start; word--)
    value = (value << 64n) | (words[word] as bigint);
  return value;
}
