import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeCsv } from '../../src/decode/csv/csv.ts';
import type { CsvOptions } from '../../src/ports/codec.ts';
import { runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type TextCase, testTextCases } from './text-cases.ts';

/** Files as Excel writes them, in Germany, in France, in Switzerland and in the United States. */

const windows1252 = (text: string) => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

const good = (
  name: string,
  input: string | Uint8Array,
  options: CsvOptions,
  types: readonly string[],
  rows: string,
): TextCase => ({ name, input, options, expect: { types, rows } });
const bad = (name: string, input: string | Uint8Array, options: CsvOptions, text: RegExp): TextCase => ({
  name,
  input,
  options,
  error: { kind: 'bad_body', text },
});
const badOption = (name: string, options: CsvOptions, text: RegExp): TextCase => ({
  name,
  input: 'a\n1\n',
  options,
  error: { kind: 'bad_request', text },
});

const german = 'Größe;Preis (€);Menge;Datum\r\nklein;1.234,50;1.000;31.12.2024\r\ngroß;0,99;7;01.02.2025\r\n';
const germanRows =
  "[('klein', 1234.5, 1000, datetime.date(2024, 12, 31)), ('groß', 0.99, 7, datetime.date(2025, 2, 1))]";
const germanOptions = { decimal: ',', thousands: '.', dates: 'dmy' };
const germanTypes = ['string', 'double', 'int64', 'date32[day]'];

await testTextCases('csv', decodeCsv, [
  {
    ...good(
      'semicolons, decimal commas, windows-1252',
      windows1252(german),
      { ...germanOptions, charset: 'windows-1252' },
      germanTypes,
      germanRows,
    ),
    expect: { types: germanTypes, rows: germanRows, names: ['Größe', 'Preis (€)', 'Menge', 'Datum'] },
  },
  good('the same in UTF-8 with a byte order mark', `\ufeff${german}`, germanOptions, germanTypes, germanRows),
  good(
    'the byte order mark wins over the charset',
    `\ufeff${german}`,
    { ...germanOptions, charset: 'windows-1252' },
    germanTypes,
    germanRows,
  ),
  good(
    'Unicode text: UTF-16 with tabs',
    utf16(german.replaceAll(';', '\t')),
    germanOptions,
    germanTypes,
    germanRows,
  ),
  good('UTF-16, big-endian', utf16(german).swap16(), germanOptions, germanTypes, germanRows),
  good(
    'UTF-16 without a mark, by its name',
    Buffer.from('a;b\nä;1\n', 'utf16le'),
    { charset: 'UTF-16' },
    ['string', 'int64'],
    "[('ä', 1)]",
  ),
  good('a line sep=', 'sep=;\r\na;b\r\n1,5;x\r\n', { decimal: ',' }, ['double', 'string'], "[(1.5, 'x')]"),
  good(
    'a line sep= with a mark that is never tried',
    '\ufeffSEP=#\r\na#b\r\n1#x\r\n',
    {},
    ['int64', 'string'],
    "[(1, 'x')]",
  ),
  good(
    'the delimiter asked for wins over sep=',
    'sep=;\na|b\n1|x\n',
    { delimiter: '|' },
    ['int64', 'string'],
    "[(1, 'x')]",
  ),
  good(
    'quoted line ends and delimiters',
    'a;b\r\n"x;\r\ny";"say ""hi"""\r\n',
    {},
    ['string', 'string'],
    `[('x;\\r\\ny', 'say "hi"')]`,
  ),
  good(
    'an empty last column',
    'a;b;\r\n1;x;\r\n2;y;\r\n',
    {},
    ['int64', 'string', 'string'],
    "[(1, 'x', None), (2, 'y', None)]",
  ),
  good('empty lines at the end', 'a;b\r\n1;x\r\n\r\n\r\n', {}, ['int64', 'string'], "[(1, 'x')]"),
  good('no line end at the end', 'a;b\r\n1;x', {}, ['int64', 'string'], "[(1, 'x')]"),
  good(
    'Swiss apostrophes',
    "a;b\n1'234'567;1'000.5\n",
    { thousands: "'" },
    ['int64', 'double'],
    '[(1234567, 1000.5)]',
  ),
  good(
    'French spaces that do not break',
    'a;b\n1\u202f234;1\u202f000,5\n',
    { thousands: '\u202f', decimal: ',' },
    ['int64', 'double'],
    '[(1234, 1000.5)]',
  ),
  good(
    'American thousands in quotes',
    'a,b\n"1,234","2,000.25"\n',
    { thousands: ',' },
    ['int64', 'double'],
    '[(1234, 2000.25)]',
  ),
  good(
    'groups that are not of three digits stay text',
    'a;b\n1.23;x\n12.3456;x\n',
    { thousands: '.', decimal: ',' },
    ['string', 'string'],
    "[('1.23', 'x'), ('12.3456', 'x')]",
  ),
  good(
    'a point is no decimal mark beside decimal=,',
    'a;b\n1.5;x\n',
    { decimal: ',' },
    ['string', 'string'],
    "[('1.5', 'x')]",
  ),
  good('a comma is no decimal mark without it', 'a;b\n1,5;x\n', {}, ['string', 'string'], "[('1,5', 'x')]"),
  good(
    'decimal commas with many digits',
    'a;b\n0,12345678901234568;x\n',
    { decimal: ',' },
    ['double', 'string'],
    "[(0.12345678901234568, 'x')]",
  ),
  good(
    'decimal commas that a double does not hold stay text',
    'a;b\n0,12345678901234567890;x\n',
    { decimal: ',' },
    ['string', 'string'],
    "[('0,12345678901234567890', 'x')]",
  ),
  good(
    'a comma between fields and in quoted numbers',
    'a,b\n"1,5",2\n',
    { decimal: ',' },
    ['double', 'int64'],
    '[(1.5, 2)]',
  ),
  good(
    'days of the month first, with times',
    'a;b\n31.12.2024 9:05;1/2/2024\n1.1.2025 13:45:30;28/2/2024\n',
    { dates: 'dmy' },
    ['timestamp[us]', 'date32[day]'],
    '[(datetime.datetime(2024, 12, 31, 9, 5), datetime.date(2024, 2, 1)), (datetime.datetime(2025, 1, 1, 13, 45, 30), datetime.date(2024, 2, 28))]',
  ),
  good(
    'the month first',
    'a\n12/31/2024\n1/2/2024\n',
    { dates: 'mdy' },
    ['date32[day]'],
    '[(datetime.date(2024, 12, 31),), (datetime.date(2024, 1, 2),)]',
  ),
  good(
    'the year first',
    'a\n2024/12/31\n2024-01-02\n',
    { dates: 'ymd' },
    ['date32[day]'],
    '[(datetime.date(2024, 12, 31),), (datetime.date(2024, 1, 2),)]',
  ),
  good('days stay text if no order is given', 'a\n31.12.2024\n', {}, ['string'], "[('31.12.2024',)]"),
  good(
    'a day that does not exist in that order stays text',
    'a\n12/31/2024\n',
    { dates: 'dmy' },
    ['string'],
    "[('12/31/2024',)]",
  ),
  good('years of two digits stay text', 'a\n31.12.24\n', { dates: 'dmy' }, ['string'], "[('31.12.24',)]"),
  good('HH:MM stays text', 'a,b\n12:30,x\n', {}, ['string', 'string'], "[('12:30', 'x')]"),
  good(
    'HH:MM is a time if that type is requested',
    'a,b\n12:30,x\n9:05,y\n',
    { types: { a: 'TIME' } },
    ['time64[us]', 'string'],
    "[(datetime.time(12, 30), 'x'), (datetime.time(9, 5), 'y')]",
  ),
  good(
    'a moment without seconds stays text',
    'a\n2024-01-02 03:04\n',
    {},
    ['string'],
    "[('2024-01-02 03:04',)]",
  ),
  good(
    'a moment without seconds is a timestamp if that type is requested',
    'a\n2024-01-02 03:04\n',
    { types: { a: 'TIMESTAMP' } },
    ['timestamp[us]'],
    '[(datetime.datetime(2024, 1, 2, 3, 4),)]',
  ),
  good(
    'forced types are read in the notation too',
    'a;b;c\n1.234,50;01.02.2024;+1.000\n',
    { ...germanOptions, types: { a: 'DECIMAL(10,2)', b: 'DATE', c: 'INTEGER' } },
    ['decimal128(10, 2)', 'date32[day]', 'int32'],
    "[(Decimal('1234.50'), datetime.date(2024, 2, 1), 1000)]",
  ),

  good(
    'codes such as 1e5 stay text',
    'a,b\n1e5,x\n12E7,y\n3,z\n',
    {},
    ['string', 'string'],
    "[('1e5', 'x'), ('12E7', 'y'), ('3', 'z')]",
  ),
  good(
    '1e5 is a number beside one with a point',
    'a,b\n1e5,x\n0.5,y\n',
    {},
    ['double', 'string'],
    "[(100000.0, 'x'), (0.5, 'y')]",
  ),
  good(
    'a sign in the exponent makes a number',
    'a,b\n1e+5,x\n1e-5,y\n',
    {},
    ['double', 'string'],
    "[(100000.0, 'x'), (1e-05, 'y')]",
  ),
  good(
    '1e5 beside 1e-5 stays text',
    'a,b\n1e5,x\n1e-5,y\n',
    {},
    ['string', 'string'],
    "[('1e5', 'x'), ('1e-5', 'y')]",
  ),
  good(
    'a code is a number if a type is forced',
    'a,b\n1e5,x\n',
    { types: { a: 'DOUBLE' } },
    ['double', 'string'],
    "[(100000.0, 'x')]",
  ),

  good('a comma wins if it fits', 'a;b,c;d\n1;2,3;4\n', {}, ['string', 'string'], "[('1;2', '3;4')]"),
  good('tabs', 'a\tb\n1\tx, y\n', {}, ['int64', 'string'], "[(1, 'x, y')]"),
  good('pipes', 'a|b\n1|x, y\n', {}, ['int64', 'string'], "[(1, 'x, y')]"),
  good('delimiters inside quotes do not count', '"a;b"\n"1;2"\n', {}, ['string'], "[('1;2',)]"),
  good('two that fit are none: one column', 'a;b|c\n1;2|3\n', {}, ['string'], "[('1;2|3',)]"),
  good('one column', 'a\n1\n2\n', {}, ['int64'], '[(1,), (2,)]'),
  bad(
    'a decimal comma with the wrong delimiter',
    'a;b\n1,5;2\n',
    { delimiter: ',' },
    /^Line 2 has 2 fields, the header has 1: is the delimiter `;`\?$/,
  ),
  bad(
    'a row of another length',
    'a,b\n1,2\n1,2,3\n',
    {},
    /^Line 3 has 3 fields, the header has 2: "1,2,3"\.$/,
  ),
  bad(
    'a row that ends with a delimiter',
    'a,b\n1,2\n1,2,\n',
    {},
    /^Line 3 has 3 fields, the header has 2: the line ends with a delimiter\.$/,
  ),
  bad(
    'a short row behind quoted line ends',
    'a,b\n"x\ny",2\n1\n',
    {},
    /^Line 4 has 1 fields, the header has 2/,
  ),
  bad(
    'a delimiter that fits the head only',
    `a,b;c\n${'1,2;3\n'.repeat(200_000)}1;2\n`,
    {},
    /^Line 200002 has 1 fields, the header has 2: is the delimiter `;`\?$/,
  ),
  bad('windows-1252 without its name', windows1252('a,b\n1,ü\n'), {}, /^Line 2 is not UTF-8/),
  bad('half a character of UTF-16', Buffer.concat([utf16('a\n1\n'), Buffer.from([1])]), {}, /not utf-16le/),
  bad(
    'a forced number',
    'a;b\nx;1,5\n',
    { types: { b: 'DOUBLE' } },
    /^Line 2, column "b": "1,5" is not a DOUBLE/,
  ),
  bad(
    'the first bad row is named, whatever its column',
    'a,b\n1,x\ny,2\n',
    { types: { a: 'BIGINT', b: 'BIGINT' } },
    /^Line 2, column "b": "x"/,
  ),
  badOption('an unknown charset', { charset: 'ebcdic' }, /charset "ebcdic" cannot be read/),
  badOption('an unknown decimal mark', { decimal: ';' }, /decimal= is ";"/),
  badOption('an unknown order of days', { dates: 'ydm' }, /dates= is "ydm"/),
  badOption('one mark for decimals and thousands', { decimal: ',', thousands: ',' }, /thousands= is ","/),
]);

const folder = temporaryFolder('csv-excel');

test('pandas, asked in its own words, reads the same values from the same file', async () => {
  const source = join(folder, 'german.csv');
  const target = join(folder, 'german.arrows');
  writeFileSync(source, windows1252(german));
  const csv = { ...germanOptions, charset: 'windows-1252' };
  await decodeCsv({ format: 'csv', source, target, csv }, new AbortController().signal);
  const script = `
import json, sys, pandas, pyarrow
source, target = json.load(sys.stdin)
theirs = pandas.read_csv(source, sep=';', decimal=',', thousands='.', encoding='cp1252', parse_dates=['Datum'], dayfirst=True)
ours = pyarrow.ipc.open_stream(target).read_pandas()
ours['Datum'] = pandas.to_datetime(ours['Datum'])
print(json.dumps([ours[name].tolist() == theirs[name].tolist() for name in theirs.columns]))
`;
  assert.deepEqual(await runPython(['-c', script], [source, target]), [true, true, true, true]);
});

test('a type that the last row disproves is found all the same, and so is one behind a million nulls', async () => {
  const source = join(folder, 'late.csv');
  const target = join(folder, 'late.arrows');
  writeFileSync(source, `a,b\n${'1,\n'.repeat(1_000_000)}0.5,2024-01-01\n`);
  await decodeCsv({ format: 'csv', source, target, csv: {} }, new AbortController().signal);
  const script = `
import json, sys, pyarrow
table = pyarrow.ipc.open_stream(json.load(sys.stdin)).read_all()
table.validate(full=True)
print(json.dumps([[str(f.type) for f in table.schema], table.num_rows, table['a'].to_pylist()[-2:], str(table['b'][-1])]))
`;
  assert.deepEqual(await runPython(['-c', script], target), [
    ['double', 'date32[day]'],
    1_000_001,
    [1, 0.5],
    '2024-01-01',
  ]);
  assert.ok(readFileSync(target).length > 8_000_000);
});
