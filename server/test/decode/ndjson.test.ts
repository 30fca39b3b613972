import { decodeNdjson } from '../../src/decode/json/ndjson.ts';
import { type TextCase, testTextCases } from './text-cases.ts';

const one = (name: string, values: readonly string[], type: string, rows: string): TextCase => ({
  name,
  input: values.map((value) => `{"v":${value}}\n`).join(''),
  expect: {
    types: [type],
    rows: `[${rows
      .split('|')
      .map((row) => `(${row},)`)
      .join(', ')}]`,
  },
});
const bad = (name: string, input: string | Uint8Array, text: RegExp): TextCase => ({
  name,
  input,
  error: { kind: 'bad_body', text },
});

await testTextCases('ndjson', decodeNdjson, [
  one(
    'integers of 64 bits',
    ['9223372036854775807', '-9223372036854775808', 'null'],
    'int64',
    '9223372036854775807|-9223372036854775808|None',
  ),
  one('integers of 64 bits without sign', ['18446744073709551615', '0'], 'uint64', '18446744073709551615|0'),
  one(
    'with a negative one they are decimals',
    ['18446744073709551615', '-1'],
    'decimal128(38, 0)',
    "Decimal('18446744073709551615')|Decimal('-1')",
  ),
  one(
    'a negative one before counts too',
    ['-1', '18446744073709551615'],
    'decimal128(38, 0)',
    "Decimal('-1')|Decimal('18446744073709551615')",
  ),
  one(
    '38 digits',
    ['99999999999999999999999999999999999999', '1'],
    'decimal128(38, 0)',
    "Decimal('99999999999999999999999999999999999999')|Decimal('1')",
  ),
  one(
    'whole numbers of more digits are texts, also those that a double would hold',
    [`1${'0'.repeat(38)}`, '7'],
    'string',
    `'1${'0'.repeat(38)}'|'7'`,
  ),
  one(
    'and beside decimals, whichever comes first',
    ['1.5', `-1${'0'.repeat(38)}`],
    'string',
    `'1.5'|'-1${'0'.repeat(38)}'`,
  ),
  one('doubles', ['0.1', '3', '-1e-7', '5e-324'], 'double', '0.1|3.0|-1e-07|5e-324'),
  one('booleans', ['true', 'false', 'null'], 'bool', 'True|False|None'),
  one('strings stay strings', ['"2024-01-01"', '"12"', '"true"'], 'string', "'2024-01-01'|'12'|'true'"),
  one('escapes', ['"\\u00e9\\ud83d\\ude00\\n\\"\\\\\\/"'], 'string', `'é😀\\n"\\\\/'`),
  one('only nulls is text', ['null', 'null'], 'string', 'None|None'),
  one(
    'structs',
    ['{"a":1}', '{"b":"x"}', 'null', '{}'],
    'struct<a: int64, b: string>',
    "{'a': 1, 'b': None}|{'a': None, 'b': 'x'}|None|{'a': None, 'b': None}",
  ),
  one('lists', ['[1,null]', '[]', 'null', '[3]'], 'list<item: int64>', '[1, None]|[]|None|[3]'),
  one('lists of nothing', ['[]', '[null]'], 'list<item: string>', '[]|[None]'),
  one(
    'lists of structs of lists',
    ['[{"a":[1.5]}]', '[null,{"a":null,"b":true}]'],
    'list<item: struct<a: list<item: double>, b: bool>>',
    "[{'a': [1.5], 'b': None}]|[None, {'a': None, 'b': True}]",
  ),
  {
    name: 'columns in the order of their first appearance',
    input: '{"b":1}\n{"a":2,"b":3}\n',
    expect: { names: ['b', 'a'], types: ['int64', 'int64'], rows: '[(1, None), (3, 2)]' },
  },
  {
    name: 'names that differ in case only, and dots',
    input: '{"a":1,"A":2,"a.b":3,"":4,"__proto__":5}\n',
    expect: {
      names: ['a', 'A', 'a.b', '', '__proto__'],
      types: Array(5).fill('int64'),
      rows: '[(1, 2, 3, 4, 5)]',
    },
  },
  {
    name: 'blank lines, CR LF, a byte order mark, no line end',
    input: '\ufeff{"a":1}\r\n\r\n  \n{"a":2}',
    expect: { types: ['int64'], rows: '[(1,), (2,)]' },
  },
  {
    name: 'a late value decides',
    input: `${'{"a":1}\n'.repeat(70_000)}{"a":0.5}\n`,
    expect: { types: ['double'], rows: `[${'(1.0,), '.repeat(70_000)}(0.5,)]` },
  },
  {
    name: 'long lines across pieces',
    input: `{"a":"${'€'.repeat(600_000)}"}\n{"a":"b"}\n`,
    expect: { types: ['string'], rows: `[('${'€'.repeat(600_000)}',), ('b',)]` },
  },
  {
    name: 'types= forces',
    input: '{"a":"2024-01-01","b":1,"c":"1.50","d":{"x":[1, 2.0]}}\n',
    options: { types: { a: 'DATE', b: 'TINYINT', c: 'DECIMAL(9,2)', d: 'VARCHAR' } },
    expect: {
      types: ['date32[day]', 'int8', 'decimal128(9, 2)', 'string'],
      rows: `[(datetime.date(2024, 1, 1), 1, Decimal('1.50'), '{"x":[1,2.0]}')]`,
    },
  },
  {
    name: 'types= takes mixed values as text',
    input: '{"a":1}\n{"a":"x"}\n{"a":null}\n',
    options: { types: { a: 'VARCHAR' } },
    expect: { types: ['string'], rows: "[('1',), ('x',), (None,)]" },
  },
  {
    name: 'types= DOUBLE rounds',
    input: '{"a":0.1234567890123456789}\n',
    options: { types: { a: 'DOUBLE' } },
    expect: { types: ['double'], rows: '[(0.12345678901234568,)]' },
  },
  {
    name: 'objects without members are rows without columns',
    input: '{}\n{}\n',
    expect: { types: [], rows: '[(), ()]' },
  },
  {
    name: 'a value that does not fit',
    input: '{"a":1}\n{"a":300}\n',
    options: { types: { a: 'TINYINT' } },
    error: { kind: 'bad_body', text: /Line 2, column "a": "300" is not a TINYINT/ },
  },
  {
    name: 'an unknown column',
    input: '{"a":1}\n',
    options: { types: { b: 'INTEGER' } },
    error: { kind: 'bad_request', text: /"b"/ },
  },
  one(
    'a number of more than 400 characters makes its column text',
    [`1${'0'.repeat(400)}`, '0.5'],
    'string',
    `'1${'0'.repeat(400)}'|'0.5'`,
  ),
  bad(
    'digits that a double loses',
    '{"v":1}\n{"v":0.1234567890123456789}\n',
    /Line 2: a double would lose digits/,
  ),
  bad(
    'a long integer among doubles',
    '{"v":9007199254740993}\n{"v":0.5}\n',
    /Line 1: a double would lose digits/,
  ),
  bad('two kinds in one column', '{"v":1}\n{"v":"x"}\n', /"v" is a number in line 1 and a string in line 2/),
  bad(
    'two kinds inside',
    '{"v":[{"a":1}]}\n{"v":[{"a":true}]}\n',
    /"v\[\]\.a" is a number in line 1 and a boolean in line 2/,
  ),
  bad('a key twice', '{"v":1}\n{"v":1,"v":2}\n', /Line 2, character \d+: the key "v" occurs twice/),
  bad('a key twice by an escape', '{"v":1,"\\u0076":2}\n', /occurs twice/),
  bad('an array around', '[{"v":1}]\n', /Line 1 is not a JSON object/),
  bad('NaN', '{"v":NaN}\n', /Line 1, character 6: "NaN}" is not a JSON value/),
  bad('leading zeros', '{"v":012}\n', /comma or } is missing/),
  bad('a cut line', '{"v":1}\n{"v":\n', /Line 2, character 6: the value ends too early/),
  bad('two values in a line', '{"v":1}{"v":2}\n', /text behind the end/),
  bad('a lone surrogate', '{"v":"\\ud800"}\n', /lone surrogate/),
  bad('a control character', '{"v":"a\tb"}\n', /control character/),
  bad('nested too deep', `{"v":${'['.repeat(100)}${']'.repeat(100)}}\n`, /nested more than/),
  bad('not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22]), /Line 1 is not UTF-8/),
  bad('an empty file', '', /no rows/),
  bad('blank lines only', '\n\n', /no rows/),
]);
