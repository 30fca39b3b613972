import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LocalError } from '../src/local-error.ts';
import { chooseFormat, compressionOf } from '../src/transfer/content-format.ts';
import { frameNameOf } from '../src/transfer/upload-source.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const arrowStream = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0]);

test('without a name, the first bytes say what it is', () => {
  const found = (beginning: Uint8Array) => chooseFormat(null, beginning, undefined);
  assert.equal(found(bytes('PAR1\u0015\u0000')), 'parquet');
  assert.equal(found(bytes('ARROW1\u0000\u0000')), 'arrow-file');
  assert.equal(found(arrowStream), 'arrow');
  assert.equal(found(bytes('[{"a":1}]')), 'json');
  assert.equal(found(bytes('\ufeff{"a":1}\n{"a":2}\n')), 'ndjson');
  assert.equal(found(bytes('{\n "a": 1\n}')), 'json');
  assert.equal(found(bytes('a,b\n1,2\n')), 'csv');
  assert.equal(found(bytes('a\tb\n1\t2\n')), 'tsv');
  assert.throws(() => found(new Uint8Array([1, 0, 2, 0])), /format of standard input is not known/);
});

test('the suffix decides, if the first bytes do not contradict', () => {
  assert.equal(chooseFormat('a.csv', bytes('{"not": "json"}'), undefined), 'csv');
  assert.equal(chooseFormat('a.tsv.gz', bytes('a,b'), undefined), 'tsv');
  assert.equal(chooseFormat('a.arrow', arrowStream, undefined), 'arrow');
  assert.equal(chooseFormat('a.feather', bytes('ARROW1'), undefined), 'arrow-file');
  assert.throws(
    () => chooseFormat('a.parquet', bytes('time,price\n'), undefined),
    (error: LocalError) =>
      error.message === 'a.parquet is not Parquet: it begins with "time,price\\n".' &&
      error.hint.includes('--format csv'),
  );
  assert.throws(() => chooseFormat('a.csv', bytes('PAR1'), undefined), /a\.csv is Parquet, not CSV/);
  assert.equal(chooseFormat('a.csv', bytes('PAR1'), 'parquet'), 'parquet');
});

test('a file that cannot be a frame is named, whatever its name or the format that was given', () => {
  const book = bytes(`${'PK\u0003\u0004'.padEnd(30, '\0')}[Content_Types].xml`);
  for (const name of ['book.xlsx', 'book.csv', null])
    assert.throws(
      () => chooseFormat(name, book, name === null ? 'csv' : undefined),
      (error: LocalError) =>
        error.message.endsWith(' is an Excel workbook (.xlsx).') && error.hint.startsWith('Save it as CSV'),
    );
});

test('compressed files are recognised', () => {
  assert.equal(compressionOf(new Uint8Array([0x1f, 0x8b, 8])), 'gzip');
  assert.equal(compressionOf(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd])), 'zstd');
  assert.equal(compressionOf(bytes('a,b')), undefined);
});

test('a file gives its name to the frame', () => {
  assert.equal(frameNameOf('trades.csv'), 'trades');
  assert.equal(frameNameOf('trades 2024 (copy).csv.gz'), 'trades_2024_copy_');
  assert.equal(frameNameOf('.hidden'), '_hidden');
  assert.equal(frameNameOf('noSuffix'), 'noSuffix');
  assert.equal(frameNameOf('a.b.parquet'), 'a.b');
});
