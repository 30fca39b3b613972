import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { csvStyle, jsonStyle } from '../../src/encode/cells/cell-style.ts';
import { csvText, jsonText } from '../../src/encode/cells/strings.ts';
import { csvFormat } from '../../src/encode/csv.ts';
import { jsonFormat } from '../../src/encode/json.ts';
import { renderText } from '../../src/encode/render-text.ts';
import type { TextFormat } from '../../src/encode/text-format.ts';
import { arrayOf, fieldOf, utf8 } from '../arrow/hand-made.ts';
import { cellTexts } from './cell-texts.ts';
import { randomColumn, randomText, seededRandom } from './random-columns.ts';
import { collect } from './sample-frames.ts';

const tables = 150;

async function rendered(format: TextFormat, columns: readonly ArrayData[], length: number): Promise<string> {
  const batch = { length, columns };
  const batches = async function* () {
    yield { batch, from: 0, to: length >> 1 };
    yield { batch, from: length >> 1, to: length };
  };
  return (await collect(renderText(format, batches()))).toString('utf8');
}

/** Each cell alone, in a buffer that has no more room than it asked for, then put together. */
function rowsOf(cells: readonly (readonly string[])[], length: number): string[][] {
  return Array.from({ length }, (_, row) => cells.map((column) => column[row] as string));
}

describe('tables of random columns of every type', () => {
  for (const shape of ['small', 'long'])
    it(`${shape}: rows are their cells, one after the other, and JSON can be parsed`, async () => {
      for (let seed = 1; seed <= (shape === 'small' ? tables : 5); seed++) {
        const random = seededRandom(seed);
        const length = shape === 'small' ? random(40) : 20_000;
        const columns = Array.from({ length: 1 + random(4) }, (_, index) =>
          randomColumn(random, length, random(4), `c${index}`),
        );
        const names = columns.map(({ field }) => ({ name: field.name, type: 'ANY' }));
        const json = await rendered(jsonFormat('', names, false), columns, length);
        const style = jsonStyle('exec', false);
        const jsonRows = rowsOf(
          columns.map((column) => cellTexts(column, 0, length, style)),
          length,
        );
        const dataset = jsonRows.map((row) => `[${row.join(',')}]`).join(',');
        assert.ok(json.endsWith(`"dataset":[${dataset}],"count":${length}}`), `seed ${seed}`);
        assert.equal((JSON.parse(json) as { dataset: unknown[] }).dataset.length, length);
        const csv = await rendered(csvFormat(names), columns, length);
        const plain = csvStyle();
        const csvRows = rowsOf(
          columns.map((column) => cellTexts(column, 0, length, plain)),
          length,
        );
        const lines = [names.map(({ name }) => name), ...csvRows].map((row) => `${row.join(',')}\r\n`);
        assert.equal(csv, lines.join(''), `seed ${seed}`);
      }
    });
});

describe('texts', () => {
  const random = seededRandom(4);
  const values = Array.from({ length: 5_000 }, () => randomText(random));
  const styles = { json: jsonStyle('exact', false), csv: csvStyle() };

  function textColumn(bytes: readonly Uint8Array[], validity: Uint8Array | null = null): ArrayData {
    const ends = new Int32Array(bytes.length + 1);
    for (const [row, each] of bytes.entries()) ends[row + 1] = (ends[row] as number) + each.length;
    return arrayOf(fieldOf(utf8), bytes.length, [ends, Buffer.concat(bytes)], { validity });
  }

  it('are what JSON.stringify and the quoting of RFC 4180 make of them', () => {
    const column = textColumn(values.map((value) => Buffer.from(value)));
    assert.deepEqual(
      cellTexts(column, 0, values.length, styles.json),
      values.map((value) => JSON.stringify(value)),
    );
    assert.deepEqual(cellTexts(column, 0, values.length, styles.csv), values.map(csvText));
  });

  it('beside a null with bytes that are not UTF-8 are written as they are', () => {
    const column = textColumn(
      [Buffer.from('żółw'), Buffer.of(0xff, 0xc5), Buffer.from('"ż"')],
      Uint8Array.of(5),
    );
    assert.deepEqual(cellTexts(column, 0, 3, styles.json), ['"żółw"', 'null', '"\\"ż\\""']);
    assert.deepEqual(cellTexts(column, 0, 3, styles.csv), ['żółw', '', '"""ż"""']);
  });

  it('that are cut inside a character get the mark of a wrong byte', () => {
    const [first, second] = [Buffer.from('ż'), Buffer.from('a')];
    const column = textColumn([first.subarray(0, 1), Buffer.concat([first.subarray(1), second])]);
    assert.deepEqual(
      cellTexts(column, 0, 2, styles.json),
      ['"\ufffd"', '"\ufffda"'].map((text) => jsonText(text.slice(1, -1))),
    );
  });
});
