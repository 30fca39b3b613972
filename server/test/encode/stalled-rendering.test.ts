import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import type { RowFormat } from '../../src/ports/renderer.ts';
import { arrayOf, fieldOf, streamOfColumn } from '../arrow/hand-made.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readingOf } from './sample-frames.ts';

const module = new URL('./hanging-worker.ts', import.meta.url);
const renderer = new WorkerRenderer(renderPools({ threads: 1, stallMsMax: 3_000, module }));
after(() => renderer.close());

test('rendering that makes no progress is ended, in any thread, and the error says what to do', async () => {
  const path = join(temporaryFolder('stalled'), 'frame.arrow');
  const int8 = { kind: 'int', bits: 8, signed: true } as const;
  writeFileSync(path, streamOfColumn(arrayOf(fieldOf(int8), 2, [new Int8Array(2)])));
  const formats: readonly RowFormat[] = ['csv', 'parquet'];
  for (const format of formats) {
    const options = { format, query: '', quoteLargeNumbers: false };
    const chunks = renderer.render(readingOf([path]), options, new AbortController().signal);
    assert.equal((await chunks.next()).value?.length, 1);
    await assert.rejects(chunks.next(), { kind: 'overloaded', hint: /read fewer rows or columns/ });
    assert.equal(
      renderer.pools.reduce((jobs, pool) => jobs + pool.running, 0),
      0,
    );
  }
});
