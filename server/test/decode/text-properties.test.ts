import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { isValid } from '../../src/arrow/arrays/layout.ts';
import { decodeUpload } from '../../src/decode/decode-upload.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { UploadFormat } from '../../src/ports/codec.ts';
import { decodeStream } from '../arrow/stream-bytes.ts';
import { type Random, seededRandom } from '../fuzz/seeded-random.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Random columns as text, read back, and compared with what a slow and simple reading of the same texts says. Most values of a column are of one kind;
 * some columns have a surprise in a late row, which changes the type that the first rows had.
 */

const folder = temporaryFolder('text-properties');
after(() => removeFolder(folder));
const seed = 20_761;

type Cells = readonly (string | null)[];
type Column = { readonly type: string; readonly values: readonly unknown[] };

const digits = (random: Random, count: number) => Array.from({ length: count }, () => random(10)).join('');
const whole = (random: Random) =>
  `${random(2) === 0 ? '-' : ''}${1 + random(9)}${digits(random, random(19))}`;
const fraction = (random: Random) => `${random(1_000)}.${digits(random, 1 + random(17))}`;
const shortest = (random: Random) => {
  const text = String((random(2 ** 31) + random(2 ** 21) / 2 ** 21) / (1 + random(1_000_000)));
  return /^[0-9]+\.[0-9]+$/.test(text) ? text : '0.30000000000000004';
};
const moment = (random: Random) =>
  `${1700 + random(540)}-0${1 + random(9)}-${10 + random(19)}${random(2) === 0 ? 'T' : ' '}1${random(10)}:0${random(10)}:5${random(10)}`;
const microseconds = (random: Random) =>
  `${moment(random)}${random(2) === 0 ? '' : `.${digits(random, 1 + random(6))}`}`;
const edges = [
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '-0',
  '007',
  '+5',
  '1e308',
  '0.1',
  '12345678901234567.5',
  'NaN',
  '',
  'é',
  '2024-02-30',
  '2024-13-01',
  '1.',
];

/** Texts of one kind each. */
const kinds: Readonly<Record<string, (random: Random) => string>> = {
  whole,
  small: (random) => String(random(100_000)),
  fraction,
  shortest,
  price: (random) => `${random(1_000)}.${digits(random, 2)}`,
  microseconds,
  nanoseconds: (random) => `${moment(random)}.${digits(random, 7 + random(3))}`,
  zoned: (random) => `${microseconds(random)}${['Z', '+01:00', '-05:30'][random(3)]}`,
  boolean: (random) => (random(2) === 0 ? 'true' : 'false'),
  text: (random) =>
    ['plain', 'a,b', 'with "quotes"', 'two\nlines', 'ünïcödé 😀', '', 'back\\slash'][random(7)] as string,
};

function cellsOf(random: Random, rows: number, names: readonly string[]): Cells {
  const kind = kinds[names[random(names.length)] as string] as (random: Random) => string;
  const nulls = random(3) === 0;
  const cells = Array.from({ length: rows }, () => (nulls && random(5) === 0 ? null : kind(random)));
  if (rows > 0 && random(4) === 0) {
    const other = kinds[names[random(names.length)] as string] as (random: Random) => string;
    cells[rows - 1 - random(Math.ceil(rows / 4))] =
      random(2) === 0 ? other(random) : (edges[random(edges.length)] as string);
  }
  return cells;
}

/** The double of a text if it has every digit of it: their difference, exactly, is less than half of the last digit. */
function exactDouble(text: string): number | null {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [, sign, before = '', behind = ''] = /^(-?)([0-9]+)\.?([0-9]*)$/.exec(mantissa) ?? [];
  const value = Number(text);
  const kept = `${before}${behind}`.replace(/^0+/, '').replace(/0+$/, '');
  if (kept === '') return value;
  if (!Number.isFinite(value) || kept.length > 17) return null;
  if (kept.length <= 15) return value;
  // Both as whole numbers, over a power of two and one of ten.
  const twos = 2 ** 100;
  const ofDouble = BigInt(Math.abs(value) * twos) * 10n ** BigInt(behind.length - Number(exponent));
  const ofText = BigInt(`${before}${behind}`) * BigInt(twos);
  const unit = 10n ** BigInt(`${before}${behind}`.length - `${before}${behind}`.replace(/0+$/, '').length);
  const difference = ofDouble > ofText ? ofDouble - ofText : ofText - ofDouble;
  return sign !== undefined && 2n * difference < unit * BigInt(twos) ? value : null;
}

const int64 = (text: string) => {
  if (!/^(?:0|-?[1-9][0-9]*)$/.test(text)) return null;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : null;
};
const double = (text: string) => {
  if (text === 'NaN') return Number.NaN;
  if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]+)?$/.test(text)) return null;
  // A double may hold a whole number by chance: others of the column it would round.
  if (/^(?:0|-?[1-9][0-9]*)$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : null;
  return exactDouble(text);
};
const instant = (decimals: RegExp, zoned: boolean, perSecond: number) => (text: string) => {
  const match =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:[0-9]{2})?$/.exec(
      text,
    );
  if (match === null || (match[4] !== undefined) !== zoned || !decimals.test(match[3] ?? '')) return null;
  const ms = Date.parse(`${match[1]}T${match[2]}.000${match[4] ?? 'Z'}`);
  if (
    Number.isNaN(ms) ||
    Number(match[1]?.slice(8)) >
      new Date(Date.UTC(Number(match[1]?.slice(0, 4)), Number(match[1]?.slice(5, 7)), 0)).getUTCDate()
  )
    return null;
  const places = String(perSecond).length - 1;
  return (
    BigInt(ms / 1_000) * BigInt(perSecond) + BigInt((match[3] ?? '').padEnd(places, '0').slice(0, places))
  );
};
const upToSix = /^[0-9]{0,6}$/;

/** Each type with the value that a text has in it; the first that fits all texts is a column's. */
const csvTypes: readonly (readonly [string, (text: string) => unknown])[] = [
  ['bool', (text) => (text === 'true' ? true : text === 'false' ? false : null)],
  ['int64', int64],
  ['float64', double],
  ['timestamp us', instant(upToSix, false, 1_000_000)],
  ['timestamp ns', instant(/^/, false, 1_000_000_000)],
  ['timestamp us UTC', instant(upToSix, true, 1_000_000)],
  ['utf8', (text) => text],
];

function expectedColumn(cells: Cells): Column {
  for (const [type, read] of csvTypes) {
    const values = cells.map((text) => (text === null ? null : read(text)));
    const fits = values.every((value, row) => value !== null || cells[row] === null);
    // Nothing but codes such as 1e308 is text.
    const isCode =
      type === 'float64' &&
      cells.some((text) => /^[0-9]+e[0-9]+$/.test(text ?? '')) &&
      !cells.some((text) => text?.includes('.'));
    if (fits && !isCode && (type === 'utf8' || cells.some((text) => text !== null))) return { type, values };
  }
  throw new Error('every text is a text');
}

async function decoded(format: UploadFormat, text: string): Promise<readonly Column[]> {
  const source = join(folder, 'upload');
  const target = join(folder, 'stream');
  writeFileSync(source, text);
  await decodeUpload(
    { format, source, target, csv: format === 'csv' ? { delimiter: ',' } : {} },
    new AbortController().signal,
  );
  const { schema, batches } = await decodeStream(readFileSync(target));
  return schema.fields.map(({ type }, index) => ({
    type: typeName(type),
    values: batches.flatMap(({ columns }) => valuesOf(columns[index] as ArrayData)),
  }));
}

function typeName(type: ArrayData['field']['type']): string {
  if (type.kind === 'int') return `${type.signed ? '' : 'u'}int${type.bits}`;
  if (type.kind === 'float') return `float${type.bits}`;
  if (type.kind === 'timestamp') return `timestamp ${type.unit}${type.zone === null ? '' : ` ${type.zone}`}`;
  return type.kind;
}

function valuesOf({ field, length, validity, buffers }: ArrayData): unknown[] {
  const [first = new Uint8Array(), second = new Uint8Array()] = buffers;
  const view = new DataView(first.buffer, first.byteOffset, first.length);
  const value = (row: number): unknown => {
    switch (field.type.kind) {
      case 'bool':
        return isValid(first, row);
      case 'float':
        return view.getFloat64(row * 8, true);
      case 'utf8':
        return Buffer.from(
          second.subarray(view.getInt32(row * 4, true), view.getInt32(row * 4 + 4, true)),
        ).toString();
      case 'decimal':
        return (view.getBigInt64(row * 16 + 8, true) << 64n) | view.getBigUint64(row * 16, true);
      default:
        return view.getBigInt64(row * 8, true);
    }
  };
  return Array.from({ length }, (_, row) => (isValid(validity, row) ? value(row) : null));
}

function assertSame(actual: readonly Column[], expected: readonly Column[], what: string): void {
  assert.deepEqual(
    actual.map(({ type }) => type),
    expected.map(({ type }) => type),
    what,
  );
  for (const [index, { values }] of expected.entries()) {
    assert.equal(actual[index]?.values.length, values.length, what);
    const row = values.findIndex((value, at) => !Object.is(value, actual[index]?.values[at]));
    assert.equal(
      row,
      -1,
      `${what}: column ${index}, row ${row}: ${actual[index]?.values[row]}, not ${values[row]}`,
    );
  }
}

/** Small files, and some that are read in several pieces. */
const cases = [...Array.from({ length: 250 }, (_, index) => 1 + (index % 40)), 25_000];

test('csv: every value comes back as it was written, or the column is text', async () => {
  const random = seededRandom(seed, 0);
  for (const [index, rows] of cases.entries()) {
    // At least two columns: an empty line would be a null.
    const columns = Array.from({ length: 2 + random(4) }, () => cellsOf(random, rows, Object.keys(kinds)));
    const quoted = (text: string | null | undefined) =>
      text === null || text === undefined
        ? ''
        : text === '' || /[",\n]/.test(text) || random(20) === 0
          ? `"${text.replaceAll('"', '""')}"`
          : text;
    const lineEnd = random(2) === 0 ? '\n' : '\r\n';
    const lines = Array.from({ length: rows }, (_, row) =>
      columns.map((cells) => quoted(cells[row])).join(','),
    );
    const text = [columns.map((_, at) => `c${at}`).join(','), ...lines, ''].join(lineEnd);
    assertSame(await decoded('csv', text), columns.map(expectedColumn), `case ${index}`);
  }
});

test('csv: a decimal behind the rows that were guessed from decides what 1e5 is', async () => {
  const text = `v,w\n${'1e-5,x\n'.repeat(160_000)}1.5,x\n1e5,x\n`;
  const [first] = await decoded('csv', text);
  assert.equal(first?.type, 'float64');
  assert.deepEqual(first.values.slice(-3), [1e-5, 1.5, 100_000]);
});

const jsonNumbers = ['whole', 'small', 'fraction', 'shortest', 'price'];

for (const format of ['ndjson', 'json'] as const)
  test(`${format}: every value comes back as it was written, or is refused`, async () => {
    const random = seededRandom(seed, 1);
    let read = 0;
    for (const [index, rows] of cases.entries()) {
      const columns = Array.from({ length: 1 + random(5) }, () => jsonColumn(random, rows));
      const space = random(3) === 0 ? ' ' : '';
      const objects = Array.from({ length: rows }, (_, row) => {
        const members = columns.flatMap(({ texts }, at) =>
          texts[row] === undefined ? [] : [`"c${at}":${space}${texts[row]}`],
        );
        return `{${members.join(`,${space}`)}}`;
      });
      const text =
        format === 'json'
          ? `[\n${objects.join(',\n')}\n]`
          : `${objects.join('\n')}${random(2) === 0 ? '' : '\n'}`;
      const expected = columns
        .map((column, at) => ({ ...column, first: column.texts.findIndex((each) => each !== undefined), at }))
        .filter(({ first }) => first !== -1)
        .sort((a, b) => a.first - b.first || a.at - b.at)
        .map(({ expected: column }) => column);
      if (expected.length === 0) continue;
      try {
        assertSame(
          await decoded(format, text),
          expected.map((column) => column ?? { type: 'refused', values: [] }),
          `case ${index}`,
        );
        read++;
      } catch (thrown) {
        if (!(thrown instanceof FrameholdError) || !expected.includes(null)) throw thrown;
        assert.match(thrown.message, /a double would lose digits of/);
      }
    }
    assert.ok(read > cases.length / 3, `${read} files were read`);
  });

/** Its texts, undefined if the row does not have it, and what becomes of them; null if that is refused. */
function jsonColumn(
  random: Random,
  rows: number,
): { texts: readonly (string | undefined)[]; expected: Column | null } {
  const kind = random(3);
  const names =
    kind === 0
      ? ['text', 'microseconds']
      : kind === 1
        ? ['boolean']
        : [jsonNumbers[random(5)] as string, jsonNumbers[random(5)] as string];
  const isNumber = kind === 2;
  const cells = cellsOf(random, rows, names).map((text) =>
    text === null ||
    !(isNumber ? /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/ : kind === 1 ? /^(?:true|false)$/ : /^/).test(text)
      ? null
      : text,
  );
  const texts = cells.map((text) => {
    if (text === null) return random(2) === 0 ? 'null' : undefined;
    if (kind !== 0) return text;
    return random(10) === 0
      ? `"${Array.from(text, (letter) => (letter.length === 1 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter)).join('')}"`
      : JSON.stringify(text);
  });
  return { texts, expected: expectedJson(cells, isNumber, kind === 0) };
}

function expectedJson(cells: Cells, isNumber: boolean, isText: boolean): Column | null {
  if (isText || cells.every((text) => text === null)) return { type: 'utf8', values: cells };
  if (!isNumber) return expectedColumn(cells);
  for (const [type, read] of jsonTypes) {
    const found = cells.map((text) => (text === null ? null : read(text)));
    if (found.every((value, row) => value !== null || cells[row] === null)) return { type, values: found };
  }
  return null;
}

/** Of numbers. */
const jsonTypes: readonly (readonly [string, (text: string) => unknown])[] = [
  ['int64', int64],
  [
    'uint64',
    (text) => (/^[0-9]+$/.test(text) && BigInt(text) < 2n ** 64n ? BigInt.asIntN(64, BigInt(text)) : null),
  ],
  ['decimal', (text) => (/^(?:0|-?[1-9][0-9]*)$/.test(text) ? BigInt(text) : null)],
  ['float64', exactDouble],
];
