import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decodeUpload } from '../../src/decode/decode-upload.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { CsvOptions, UploadFormat } from '../../src/ports/codec.ts';
import { assertTook } from '../support/machine-pace.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Texts in which something is repeated as often as it fits: a decoder that looks at it again and again takes minutes. */

const length = 400_000;
const zeros = '0'.repeat(length);
const csvCells: Readonly<Record<string, string>> = {
  'a number with zeros before its last digit': `1.${zeros}1`,
  'a whole number with zeros before its last digit': `1${zeros}1`,
  'leading zeros': `${zeros}1`,
  'zeros in the exponent': `1e${zeros}1`,
  nines: '9'.repeat(length),
  'a clock with many decimals': `2024-01-01 00:00:00.${zeros}1`,
  'groups of three': `1${'.000'.repeat(length / 4)}x`,
  signs: '-'.repeat(length),
  spaces: `${' '.repeat(length)}x`,
};
const forcedTypes = ['BIGINT', 'INTEGER', 'DOUBLE', 'DECIMAL(38,10)', 'BOOLEAN', 'TIMESTAMP', 'DATE', 'UUID'];

describe('hostile text', () => {
  for (const [name, text] of Object.entries(csvCells)) {
    it(`csv: ${name} is read in linear time`, () => fast('csv', `v,w\n${text},x\n`));
    it(`csv: ${name} is read in linear time by every forced type`, async () => {
      for (const type of forcedTypes) await fast('csv', `v,w\n${text},x\n`, { types: { v: type } });
    });
  }
  it('csv: doubled quotes', () => fast('csv', `v,w\n"${'""'.repeat(length)}",x\n`));
  it('csv: many line ends in a quoted field', () => fast('csv', `v,w\n"${'\n'.repeat(length)}",x\n`));
  it('csv: many empty lines', () => fast('csv', `v,w\n${'\n'.repeat(length)}1,x\n`));
  it('csv: a record in many pieces', () => fast('csv', `v,w\n"${'a\n'.repeat(4_000_000)}",x\n`, {}, 4_000));
  it('csv: many columns', () => fast('csv', `${'c,'.repeat(19_998)}c\n${'1,'.repeat(19_998)}1\n`, {}, 4_000));
  it('csv: a forced type for each of many columns', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `c${index}`);
    const types = Object.fromEntries(names.map((name) => [name, 'BIGINT']));
    return fast('csv', `${names.join()}\n${names.map(() => 1).join()}\n`, { types }, 4_000);
  });

  for (const [name, text] of Object.entries({
    'a number with zeros before its last digit': `{"v":1.${zeros}1}\n`,
    'a whole number with zeros before its last digit': `{"v":1${zeros}1}\n`,
    'zeros in the exponent': `{"v":1e${zeros}1}\n`,
    escapes: `{"v":"${'\\n'.repeat(length)}"}\n`,
    'blank lines': `{"v":1}\n${' \n'.repeat(length)}`,
    'white space': `{"v":${' '.repeat(length)}1}\n`,
    brackets: `{"v":${'['.repeat(length)}\n`,
    'a list of lists': `{"v":[${'[],'.repeat(length)}[]]}\n`,
    'one key many times': `{${'"k":1,'.repeat(length)}"k":1}\n`,
    'many keys': `{${Array.from({ length: 9_000 }, (_, index) => `"k${index}":${index}`).join()}}\n`,
    'a new key in every row': `${'{"v":1}\n'.repeat(140_000)}${Array.from({ length: 70 }, (_, index) => `{"k${index}":1}\n`).join('')}`,
    'a new key in every row of the first ones': Array.from(
      { length: 1_000 },
      (_, index) => `{"k${index}":1}\n`,
    ).join(''),
    'ever other orders of keys': Array.from(
      { length: 20_000 },
      (_, index) => `{"${index % 2}":1,"a":2,"${(index + 1) % 2}":3}\n`,
    ).join(''),
    'a row that is not closed': `{"v":1}\n{"v":"${'a'.repeat(8_000_000)}`,
    'a line in many pieces': `{"v":"${'a'.repeat(8_000_000)}"}\n`,
  }))
    it(`ndjson: ${name} is read in linear time`, () => fast('ndjson', text));
});

const folder = temporaryFolder('decode-time');

/** Time of the processor counts: the machine may be busy with other things. A host that gives it to others makes that longer, too. */
async function fast(format: UploadFormat, text: string, csv: CsvOptions = {}, msMax = 1_500): Promise<void> {
  const source = join(folder, 'upload');
  writeFileSync(source, text);
  const before = process.cpuUsage();
  try {
    await decodeUpload({ format, source, target: join(folder, 'out'), csv }, new AbortController().signal);
  } catch (thrown) {
    assert.ok(thrown instanceof FrameholdError && thrown.kind === 'bad_body', String(thrown));
    assert.ok(thrown.message.length < 1_000, 'a message of a readable length');
  }
  const { user, system } = process.cpuUsage(before);
  const workedMs = (user + system) / 1_000;
  assertTook(workedMs, msMax);
}
