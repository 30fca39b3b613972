import type { ArrowType } from '../../arrow/field.ts';
import { cellParser, specialNumber } from './cell-parser.ts';
import { parseMoment } from './moment.ts';
import { isoMoment, type Notation, plainNumber } from './notation.ts';
import { fitsDouble, numberCharactersMax } from './number-digits.ts';
import { sqlTypes } from './sql-type.ts';

/** Kinds of text that a column may consist of, as bits. */
const kinds = {
  boolean: 1,
  /** A double holds it too. */
  integer: 2,
  /** Fits 64 bits, but not a double. */
  longInteger: 4,
  /** Without a point: 1e-5, NaN. */
  number: 8,
  date: 16,
  timestamp: 32,
  nanoseconds: 64,
  zoned: 128,
  time: 256,
  /** A timestamp that nanoseconds in 64 bits do not reach. */
  distant: 512,
  text: 1024,
  /** A number with a point. */
  pointed: 2048,
  /** Digits, e, digits: a number if others of the column have a point, and else a code such as 1e5. */
  code: 4096,
} as const;

const integerPattern = /^(?:0|-?[1-9][0-9]{0,18})$/;
/** More digits than 64 bits have. */
const longIntegerPattern = /^-?[0-9]{20,}$/;
const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const codePattern = /^[0-9]+[eE][0-9]+$/;
const booleanPattern = /^(?:true|false)$/i;
/** Seconds that 64 bits of nanoseconds surely reach, to either side of 1970: the years 1677 to 2262. */
const nanosecondsReach = 9_223_372_036;

const fitsInteger = cellParser(sqlTypes.BIGINT);
const fitsDate = cellParser(sqlTypes.DATE);
const fitsTime = cellParser(sqlTypes.TIME);

/** Finds the type of a column out of all its texts: the narrowest that gives every one of them back. */
export class ColumnGuess {
  readonly #notation: Notation;
  #seen = 0;
  #cause: { readonly text: string; readonly line: number } | null = null;

  constructor(notation: Notation) {
    this.#notation = notation;
  }

  add(text: string, line: number): void {
    if ((this.#seen & kinds.text) !== 0) return;
    const before = this.#seen;
    this.#seen |= kindOf(text, this.#notation);
    if (before === 0 || typeOf(before) !== typeOf(this.#seen)) this.#cause = { text, line };
  }

  /** The text that made the column what it is; null if it has only nulls. */
  get cause(): { readonly text: string; readonly line: number } | null {
    return this.#cause;
  }

  get hasPoint(): boolean {
    return (this.#seen & kinds.pointed) !== 0;
  }

  /** The column is text, and no further value can change that. */
  get isText(): boolean {
    return this.#seen !== 0 && typeOf(this.#seen | kinds.pointed) === sqlTypes.VARCHAR;
  }

  type(): ArrowType {
    return typeOf(this.#seen);
  }
}

function typeOf(seen: number): ArrowType {
  const pointed = (seen & kinds.pointed) !== 0;
  // Beside numbers with a point the others are numbers too; without any, what looks like a code is one.
  const plain = pointed ? (seen & ~(kinds.pointed | kinds.code)) | kinds.number : seen;
  switch (plain) {
    case kinds.boolean:
      return sqlTypes.BOOLEAN;
    case kinds.integer:
    case kinds.longInteger:
    case kinds.integer | kinds.longInteger:
      return sqlTypes.BIGINT;
    case kinds.number:
    case kinds.number | kinds.integer:
      return sqlTypes.DOUBLE;
    case kinds.date:
      return sqlTypes.DATE;
    case kinds.timestamp:
    case kinds.distant:
    case kinds.timestamp | kinds.distant:
      return sqlTypes.TIMESTAMP;
    case kinds.nanoseconds:
    case kinds.timestamp | kinds.nanoseconds:
      return sqlTypes.TIMESTAMP_NS;
    case kinds.zoned:
      return sqlTypes.TIMESTAMPTZ;
    case kinds.time:
      return sqlTypes.TIME;
    default:
      return sqlTypes.VARCHAR;
  }
}

function kindOf(text: string, notation: Notation): number {
  // Nothing that is recognised is longer.
  if (text.length > numberCharactersMax) return kinds.text;
  const first = text.charCodeAt(0);
  const numeric = first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (!numeric) {
    if (booleanPattern.test(text)) return kinds.boolean;
    return specialNumber(text) === undefined ? kinds.text : kinds.number;
  }
  const number = plainNumber(text, notation);
  if (number !== undefined) {
    const kind = numberKind(number);
    if (kind !== 0) return kind;
  }
  if (specialNumber(text) !== undefined) return kinds.number;
  return momentKind(isoMoment(text, notation.dates));
}

/** 0 if it is no number. */
function numberKind(text: string): number {
  if (integerPattern.test(text)) {
    if (text.length <= 15 || Number.isSafeInteger(Number(text))) return kinds.integer;
    return fitsInteger(text) === undefined ? kinds.text : kinds.longInteger;
  }
  if (!numberPattern.test(text)) return 0;
  if (longIntegerPattern.test(text) || !fitsDouble(text)) return kinds.text;
  if (text.includes('.')) return kinds.pointed;
  return codePattern.test(text) ? kinds.code : kinds.number;
}

function momentKind(text: string): number {
  // HH:MM stays text: it is as often a duration.
  if (text[2] === ':' && text[5] === ':') return fitsTime(text) === undefined ? kinds.text : kinds.time;
  if (text.length === 10) return fitsDate(text) === undefined ? kinds.text : kinds.date;
  const moment = parseMoment(text);
  if (moment === null) return kinds.text;
  if (moment.zoned) return moment.digits > 6 ? kinds.text : kinds.zoned;
  // Digits as written: a writer of nanoseconds writes nine, even if the last are zeros.
  const reachable = Math.abs(moment.seconds) < nanosecondsReach;
  if (moment.digits > 6) return reachable ? kinds.nanoseconds : kinds.text;
  return reachable ? kinds.timestamp : kinds.distant;
}
