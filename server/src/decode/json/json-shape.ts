import type { Field } from '../../arrow/field.ts';
import { badBody, shown } from '../bad-body.ts';
import { fitsDouble, numberCharactersMax } from '../cells/number-digits.ts';
import { sqlTypes } from '../cells/sql-type.ts';
import { JsonNumber, type JsonValue } from './json-parser.ts';

type ShapeKind = 'unknown' | 'boolean' | 'number' | 'string' | 'list' | 'object';

const integerPattern = /^(?:0|-?[1-9][0-9]*)$/;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;
/** What DECIMAL(38,0) holds. */
const decimalDigitsMax = 38;
/** Arrow accepts 100,000 fields; objects whose keys are data would reach that quickly, and serve nobody as columns. */
const membersMax = 10_000;

/** Of all columns together. */
const fieldsMax = 100_000;

/** How many fields the rows have so far. */
export class FieldBudget {
  #fields = 0;
  /** Changes whenever a field may have got another type. */
  revision = 0;

  get fields(): number {
    return this.#fields;
  }

  take(line: number): void {
    if (++this.#fields > fieldsMax) throw badBody(`Line ${line}: more than ${fieldsMax} fields in all.`);
  }
}

/** What all the values at one place of the rows have in common. */
export class JsonShape {
  readonly #path: string;
  readonly #budget: FieldBudget;
  #kind: ShapeKind = 'unknown';
  #kindLine = 0;
  #negative = false;
  #integers: 'int64' | 'uint64' | 'decimal' | 'none' | 'text' = 'int64';
  /** Text of a number that a double does not hold. */
  #lossy: { text: string; line: number } | null = null;
  #items: JsonShape | null = null;
  readonly #members = new Map<string, JsonShape>();

  constructor(path: string, budget: FieldBudget) {
    this.#path = path;
    this.#budget = budget;
  }

  add(value: JsonValue, line: number): void {
    if (value === null) return;
    this.#become(kindOf(value), line);
    if (value instanceof JsonNumber) this.#addNumber(value.text, line);
    else if (Array.isArray(value)) {
      this.#items ??= this.#inner(`${this.#path}[]`, line);
      for (const item of value) this.#items.add(item, line);
    } else if (value instanceof Map) {
      for (const [key, member] of value) this.#member(key, line).add(member, line);
    }
  }

  get isString(): boolean {
    return this.#kind === 'string';
  }

  field(name: string): Field {
    const base = { name, nullable: true, dictionary: null, metadata: [] };
    switch (this.#kind) {
      case 'boolean':
        return { ...base, type: sqlTypes.BOOLEAN, children: [] };
      case 'number':
        return { ...base, type: this.#numberType(), children: [] };
      case 'list': {
        const item = this.#items ?? new JsonShape('', this.#budget);
        return { ...base, type: { kind: 'list', large: false }, children: [item.field('item')] };
      }
      case 'object': {
        const children = [...this.#members].map(([key, member]) => member.field(key));
        return { ...base, type: { kind: 'struct' }, children };
      }
      default:
        return { ...base, type: sqlTypes.VARCHAR, children: [] };
    }
  }

  #become(kind: ShapeKind, line: number): void {
    if (this.#kind === 'unknown') {
      this.#budget.revision++;
      this.#kind = kind;
      this.#kindLine = line;
    } else if (this.#kind !== kind) {
      throw badBody(
        `${shown(this.#path)} is a ${this.#kind} in line ${this.#kindLine} and a ${kind} in line ${line}.`,
        'Force the column with types=, e.g. VARCHAR to keep each value as text.',
      );
    }
  }

  #member(key: string, line: number): JsonShape {
    let member = this.#members.get(key);
    if (member === undefined) {
      if (this.#members.size >= membersMax)
        throw badBody(`Line ${line}: ${shown(this.#path)} has more than ${membersMax} different keys.`);
      member = this.#inner(`${this.#path}.${key}`, line);
      this.#members.set(key, member);
    }
    return member;
  }

  #inner(path: string, line: number): JsonShape {
    this.#budget.take(line);
    this.#budget.revision++;
    return new JsonShape(path, this.#budget);
  }

  #addNumber(text: string, line: number): void {
    const integers = this.#integers;
    const negative = this.#negative;
    const lossy = this.#lossy;
    this.#noteNumber(text, line);
    if (integers !== this.#integers || negative !== this.#negative || lossy !== this.#lossy)
      this.#budget.revision++;
  }

  #noteNumber(text: string, line: number): void {
    if (text.length > numberCharactersMax || isTooLong(text)) this.#integers = 'text';
    if (this.#integers === 'text') return;
    if (text.startsWith('-')) this.#negative = true;
    if (this.#lossy === null && !fitsDouble(text)) this.#lossy = { text, line };
    if (this.#integers === 'none') return;
    if (!integerPattern.test(text)) this.#integers = 'none';
    else if (text.length > 15) this.#widen(text);
  }

  #widen(text: string): void {
    const value = BigInt(text);
    if (value >= int64Min && value <= int64Max) return;
    if (value >= 0n && value <= uint64Max && this.#integers === 'int64') this.#integers = 'uint64';
    else if (value < 0n || value > uint64Max) this.#integers = 'decimal';
  }

  #numberType(): Field['type'] {
    if (this.#integers === 'int64') return sqlTypes.BIGINT;
    if (this.#integers === 'text') return sqlTypes.VARCHAR;
    if (this.#integers === 'uint64' && !this.#negative) return sqlTypes.UBIGINT;
    if (this.#integers === 'uint64' || this.#integers === 'decimal')
      return { kind: 'decimal', bits: 128, precision: decimalDigitsMax, scale: 0 };
    if (this.#lossy !== null)
      throw badBody(
        `Line ${this.#lossy.line}: a double would lose digits of ${shown(this.#lossy.text)} in ${shown(this.#path)}.`,
        'Force the column with types=: DECIMAL(p,s) or VARCHAR keep every digit, DOUBLE rounds.',
      );
    return sqlTypes.DOUBLE;
  }
}

/** A whole number that no type of whole numbers holds. As a double it would be another number. */
function isTooLong(text: string): boolean {
  return (
    text.length > decimalDigitsMax &&
    integerPattern.test(text) &&
    text.replace('-', '').length > decimalDigitsMax
  );
}

function kindOf(value: Exclude<JsonValue, null>): ShapeKind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (value instanceof JsonNumber) return 'number';
  return Array.isArray(value) ? 'list' : 'object';
}
