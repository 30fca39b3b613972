import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { foreignFile, recognisedBytes } from '../../src/encode/foreign-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const zip = (name: string) => latin1(`${'PK\x03\x04'.padEnd(30, '\0')}${name}`);

function sqliteFile(): Buffer {
  const path = join(temporaryFolder('sqlite'), 'a.sqlite');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE t (a)');
  database.close();
  return readFileSync(path);
}

const files: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['an Excel workbook (.xlsx)', zip('[Content_Types].xml')],
  ['an Excel workbook (.xlsx)', zip('xl/workbook.xml')],
  ['an OpenDocument spreadsheet (.ods)', zip('mimetypeapplication/vnd.oasis.opendocument')],
  ['a ZIP archive', zip('trades.csv')],
  ['compressed with gzip', gzipSync('a,b\n')],
  ['compressed with zstd', zstdCompressSync('a,b\n')],
  ['compressed with xz', latin1('\xfd7zXZ\0\0')],
  ['compressed with bzip2', latin1('BZh91AY&SY\x07\xcb\xee\0')],
  ['a 7z archive', latin1('7z\xbc\xaf\x27\x1c')],
  ['an old Excel workbook (.xls)', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
  ['an SQLite database', sqliteFile()],
  ['a DuckDB database', latin1('\x01\x02\x03\x04\x05\x06\x07\x08DUCK@')],
  ['an Avro file', latin1('Obj\x01\x04\x14')],
  ['an ORC file', latin1('ORC\x0a\x06\x12\x04')],
  ['a Feather file of version 1', latin1('FEA1\0\0\0\0')],
  ['a SAS file (.sas7bdat)', latin1(`${'\0'.repeat(12)}\xc2\xea\x81\x60\xb3\x14\x11\xcf`)],
];
for (const [what, bytes] of files)
  test(`${what} is recognised by its first bytes: ${bytes
    .subarray(0, 8)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '.')}`, () => {
    assert.equal(foreignFile(bytes)?.what, what);
    assert.equal(foreignFile(bytes.subarray(0, recognisedBytes))?.what, what);
    assert.match(foreignFile(bytes)?.advice ?? '', /\.$/);
  });

test('texts and frames are not taken for other files', () => {
  for (const text of [
    'ORC,b\n1,2\n',
    'FEA1\n1\n',
    'BZh;x\n',
    'Obj,a\n',
    'PK,a\n',
    '7z,a\n',
    '$FL2,a\n',
    'SQLite format 3,a\n',
    '',
    'a',
  ])
    assert.equal(foreignFile(latin1(text)), null, text);
  for (const bytes of [
    latin1('PAR1\x15\x04'),
    latin1('ARROW1\0\0'),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0]),
    Buffer.from('\ufefforc', 'utf16le'),
  ])
    assert.equal(foreignFile(bytes), null);
});
