import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderText } from '../../src/encode/render-text.ts';
import type { TextFormat } from '../../src/encode/text-format.ts';

test('a format may end a chunk where it likes, as a listener that sends rows in portions needs', async () => {
  const format: TextFormat = {
    begin: () => '',
    rows: () => ({
      write: (out, from, to) => {
        const end = Math.min(to, from - (from % 3) + 3);
        for (let row = from; row < end; row++) out.text(`${row};`);
        return end;
      },
    }),
    end: () => '',
  };
  const batches = async function* () {
    yield { batch: { length: 8, columns: [] }, from: 0, to: 8 };
  };
  const chunks: string[] = [];
  for await (const chunk of renderText(format, batches())) chunks.push(Buffer.from(chunk).toString());
  assert.deepEqual(chunks, ['0;1;2;', '3;4;5;', '6;7;']);
});
