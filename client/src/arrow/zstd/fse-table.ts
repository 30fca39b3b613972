/** A table of finite state entropy (RFC 8878, 4.1): each state has a symbol, and says which state is next. */
export interface FseTable {
  readonly accuracyBits: number;
  readonly symbols: Uint8Array;
  /** Of the next state: bits to read, and what to add to them. */
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** A table whose one symbol takes no bits. */
export function singleSymbol(symbol: number): FseTable {
  return {
    accuracyBits: 0,
    symbols: Uint8Array.of(symbol),
    bits: new Uint8Array(1),
    bases: new Uint16Array(1),
  };
}

/** From how often each symbol occurs, in parts of the table; -1 is less than one. */
export function fseTable(counts: readonly number[], accuracyBits: number): FseTable {
  const size = 1 << accuracyBits;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  counts.forEach((count, symbol) => {
    if (count !== -1) return;
    symbols[--high] = symbol;
    next[symbol] = 1;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  counts.forEach((count, symbol) => {
    if (count <= 0) return;
    next[symbol] = count;
    for (let times = 0; times < count; times++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= high);
    }
  });
  if (position !== 0) throw new RangeError('zstd: counts that do not fill their table');
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] as number;
    const count = (next[symbol] as number)++;
    const taken = accuracyBits - (31 - Math.clz32(count));
    bits[state] = taken;
    bases[state] = (count << taken) - size;
  }
  return { accuracyBits, symbols, bits, bases };
}

/** Reads the counts that come before a table's data. */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  accuracyMax: number,
  symbolMax: number,
): { readonly table: FseTable; readonly end: number } {
  let position = start * 8;
  const peek = (count: number): number => {
    const byte = position >> 3;
    const word = (bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8) | ((bytes[byte + 2] ?? 0) << 16);
    return (word >> (position & 7)) & ((1 << count) - 1);
  };
  const accuracyBits = peek(4) + 5;
  position += 4;
  if (accuracyBits > accuracyMax) throw new RangeError('zstd: a table that is too large');
  const counts: number[] = [];
  let left = 1 << accuracyBits;
  while (left > 0) {
    // The most that can come is left + 1; the smallest of those take one bit less.
    const bits = 32 - Math.clz32(left + 1);
    const shorter = (1 << (bits - 1)) - 1;
    const few = (1 << bits) - 1 - (left + 1);
    let value = peek(bits);
    if ((value & shorter) < few) {
      value &= shorter;
      position += bits - 1;
    } else {
      if (value > shorter) value -= few;
      position += bits;
    }
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    for (let repeat = count === 0 ? 3 : 0; repeat === 3; ) {
      repeat = peek(2);
      position += 2;
      for (let times = 0; times < repeat; times++) counts.push(0);
      if (counts.length > symbolMax + 1) break;
    }
    if (left < 0 || counts.length > symbolMax + 1)
      throw new RangeError('zstd: counts that do not fill their table');
  }
  return { table: fseTable(counts, accuracyBits), end: (position + 7) >> 3 };
}
