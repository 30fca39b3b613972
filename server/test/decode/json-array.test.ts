import { decodeNdjson } from '../../src/decode/json/ndjson.ts';
import { type TextCase, testTextCases } from './text-cases.ts';

const good = (
  name: string,
  input: string | Uint8Array,
  types: readonly string[],
  rows: string,
): TextCase => ({
  name,
  input,
  expect: { types, rows },
});
const bad = (name: string, input: string, text: RegExp): TextCase => ({
  name,
  input,
  error: { kind: 'bad_body', text },
});

await testTextCases('json', decodeNdjson, [
  good(
    'objects over several lines',
    '[\n  {\n    "a": 1,\n    "b": "x"\n  },\n  {"a": null, "c": [1, 2]}\n]\n',
    ['int64', 'string', 'list<item: int64>'],
    "[(1, 'x', None), (None, None, [1, 2])]",
  ),
  good('all in one line', '[{"a":1},{"a":2}]', ['int64'], '[(1,), (2,)]'),
  good('brackets and quotes inside strings', '[{"a":"]}\\"[{"}]', ['string'], "[(']}\"[{',)]"),
  good(
    'digits as written',
    '[{"a":9007199254740993},{"a":18446744073709551615}]',
    ['uint64'],
    '[(9007199254740993,), (18446744073709551615,)]',
  ),
  good(
    'a row across pieces of the file',
    `[${' '.repeat(1024 * 1024 - 8)}{"a":"żółw","b":{"c":1}}]`,
    ['string', 'struct<c: int64>'],
    "[('żółw', {'c': 1})]",
  ),
  good('UTF-16 with a byte order mark', Buffer.from('\ufeff[{"a":"ż"}]', 'utf16le'), ['string'], "[('ż',)]"),
  bad('an object', '{"a":1}', /^Line 1, character 1: "{" where an array of objects is wanted/),
  bad('values that are not objects', '[1, 2]', /^Line 1, character 2: "1" where an object is wanted/),
  bad('a value among objects', '[{"a":1},\n 2]', /^Line 2, character 2: "2" where an object is wanted/),
  bad('no comma', '[{"a":1} {"a":2}]', /^Line 1, character 10: "{" where a comma or ] is wanted/),
  bad('a comma at the end', '[{"a":1},]', /^Line 1, character 10: "]" where an object is wanted/),
  bad('text behind the end', '[{"a":1}]\n[]', /^Line 2, character 1: "\[" behind the end/),
  bad('a cut file', '[{"a":1},\n{"a":', /^Line 2: the file ends before the array does/),
  bad(
    'a fault inside a row, with its own line',
    '[\n  {"a": 1},\n  {"a": 1,\n   "a": 2}\n]',
    /^Line 4, character 7: the key "a" occurs twice/,
  ),
  bad('a bracket of the wrong sort', '[{"a":1]]', /^Line 1, character 8: a comma or } is missing/),
  bad('no rows', '[]', /no rows/),
  bad('nothing', '', /empty/),
]);
