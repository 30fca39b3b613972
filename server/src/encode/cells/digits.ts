/** Decimal digits straight into bytes. Each function returns where the text ends; the caller has made room. */

const zero = 48;
const minus = 45;
const eightDigits = 100_000_000;

/** A whole number from 0 up to 2^31. */
export function putSmall(bytes: Uint8Array, at: number, value: number): number {
  const end = at + digitCount(value);
  let position = end;
  let rest = value | 0;
  while (rest >= 100) {
    const quotient = (rest / 100) | 0;
    const pair = rest - quotient * 100;
    // A tenth of any number below 100.
    const tens = (pair * 103) >> 10;
    bytes[position - 1] = zero + pair - tens * 10;
    bytes[position - 2] = zero + tens;
    position -= 2;
    rest = quotient;
  }
  if (rest >= 10) {
    const tens = (rest * 103) >> 10;
    bytes[position - 1] = zero + rest - tens * 10;
    bytes[position - 2] = zero + tens;
  } else bytes[position - 1] = zero + rest;
  return end;
}

function digitCount(value: number): number {
  if (value < 10_000) {
    if (value < 100) return value < 10 ? 1 : 2;
    return value < 1_000 ? 3 : 4;
  }
  if (value < eightDigits) {
    if (value < 1_000_000) return value < 100_000 ? 5 : 6;
    return value < 10_000_000 ? 7 : 8;
  }
  return value < 1_000_000_000 ? 9 : 10;
}

/** A whole number from 0 up to 2^31 with zeros before it, so that it has `digits` digits. */
export function putPadded(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let position = at + digits - 1; position >= at; position--) {
    const quotient = (rest / 10) | 0;
    bytes[position] = zero + rest - quotient * 10;
    rest = quotient;
  }
  return at + digits;
}

/** A number below 100. */
export function putTwo(bytes: Uint8Array, at: number, value: number): number {
  const tens = (value * 103) >> 10;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + value - tens * 10;
  return at + 2;
}

/** A whole number between -2^53 and 2^53. */
export function putInteger(bytes: Uint8Array, at: number, value: number): number {
  let position = at;
  let rest = value;
  if (rest < 0) {
    bytes[position++] = minus;
    rest = -rest;
  }
  if (rest < 2_147_483_648) return putSmall(bytes, position, rest);
  const high = Math.floor(rest / eightDigits);
  position = putSmall(bytes, position, high);
  return putPadded(bytes, position, rest - high * eightDigits, 8);
}

/** A whole number from 0 up to 10^15, in exactly `digits` digits, at most 15. */
export function putLongPadded(bytes: Uint8Array, at: number, value: number, digits: number): number {
  if (digits <= 8) return putPadded(bytes, at, value, digits);
  const high = Math.floor(value / eightDigits);
  const position = putPadded(bytes, at, high, digits - 8);
  return putPadded(bytes, position, value - high * eightDigits, 8);
}
