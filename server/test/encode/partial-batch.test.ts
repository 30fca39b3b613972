import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { readBatch } from '../../src/arrow/batches/batch.ts';
import { Dictionaries } from '../../src/arrow/batches/dictionaries.ts';
import { readBatchRows } from '../../src/arrow/batches/partial-batch.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { jsonStyle } from '../../src/encode/cells/cell-style.ts';
import { splitStream } from '../../src/parquet/ipc-piece.ts';
import { cellTexts } from './cell-texts.ts';
import { type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
before(async () => {
  frames = await sampleFrames();
});

function texts(columns: readonly ArrayData[], from: number, to: number): string[][] {
  return columns.map((column) => cellTexts(column, from, to, jsonStyle('exec', false)));
}

for (const name of ['everything', 'pieces']) {
  test(`${name}: any rows of any column, read for themselves, are those of the whole batch`, async () => {
    const { schemaHeader, pieces } = splitStream(readFileSync(frames.path(name)));
    const schemaMessage = parseMessage(schemaHeader);
    assert.ok(schemaMessage.kind === 'schema');
    const { schema } = schemaMessage;
    const dictionaries = new Dictionaries(schema);
    let batches = 0;
    for (const { header, body } of pieces) {
      const message = parseMessage(header);
      if (message.kind === 'dictionary') dictionaries.add(message, body);
      if (message.kind !== 'record-batch') continue;
      batches++;
      const values = dictionaries.current();
      const whole = readBatch(schema.fields, message.batch, body, values);
      const range = async (offset: number, byteCount: number) => {
        assert.ok(offset + byteCount <= body.length);
        return new Uint8Array(body.subarray(offset, offset + byteCount));
      };
      for (let from = 0; from < whole.length; from++) {
        for (let to = from + 1; to <= whole.length; to++) {
          const part = await readBatchRows(schema.fields, message.batch, range, values, null, from, to);
          assert.deepEqual(texts(part.batch.columns, part.from, part.to), texts(whole.columns, from, to));
        }
      }
      const chosen = [...schema.fields.keys()].filter((index) => index % 3 === 1).reverse();
      const part = await readBatchRows(schema.fields, message.batch, range, values, chosen, 1, 2);
      const wanted = chosen.map((index) => whole.columns[index] as ArrayData);
      assert.deepEqual(texts(part.batch.columns, part.from, part.to), texts(wanted, 1, 2));
    }
    assert.ok(batches > 0);
  });
}
