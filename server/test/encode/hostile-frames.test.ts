import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import type { RowFormat } from '../../src/ports/renderer.ts';
import { arrayOf, fieldOf, numbersOf, streamOfColumn } from '../arrow/hand-made.ts';
import { checkBytes } from '../arrow/stream-bytes.ts';
import { assertTook } from '../support/machine-pace.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { collect, readingOf } from './sample-frames.ts';

/** Frames that passed the check, as they should, and expand to far more than their bytes. */

const folder = temporaryFolder('hostile-frames');
const renderer = new WorkerRenderer(renderPools({ threads: 1 }));
after(async () => await renderer.close());
const signal = new AbortController().signal;
const int8 = { kind: 'int', bits: 8, signed: true } as const;

function held(name: string, column: ArrayData): string {
  const stream = streamOfColumn(column);
  checkBytes(stream);
  const path = join(folder, name);
  writeFileSync(path, stream);
  return path;
}

async function read(path: string, format: RowFormat): Promise<Buffer> {
  return await collect(
    renderer.render(readingOf([path]), { format, query: '', quoteLargeNumbers: false }, signal),
  );
}

/** Lists that are each two times the same list: 2^55 elements in 13 kB. */
function sharedLists(): ArrayData {
  let array = arrayOf(fieldOf(int8, [], 'item'), 2, [new Int8Array(2)]);
  for (let depth = 1; depth <= 55; depth++) {
    const field = fieldOf({ kind: 'list-view', large: false }, [array.field], 'item');
    array = arrayOf(field, 2, [new Int32Array(2), new Int32Array(2).fill(2)], { children: [array] });
  }
  return array;
}

/** One row with twenty million nulls, in 400 bytes. */
function longNulls(): ArrayData {
  const rows = 20_000_000;
  const nulls = arrayOf(fieldOf({ kind: 'null' }, [], 'item'), rows, [], { nullCount: rows });
  return arrayOf(fieldOf({ kind: 'list', large: false }, [nulls.field]), 1, [Int32Array.of(0, rows)], {
    children: [nulls],
  });
}

describe('a frame that expands to far more than its bytes', () => {
  const good = held('good', numbersOf(1, 2, 3));
  for (const [name, make] of Object.entries({ sharedLists, longNulls }))
    it(`${name}: is refused as text, and others are read meanwhile`, async () => {
      const path = held(name, make());
      await read(good, 'json');
      const began = performance.now();
      const [, others] = await Promise.all([
        assert.rejects(read(path, 'json'), { kind: 'not_representable' }),
        Promise.all([read(good, 'json'), read(good, 'csv')]),
      ]);
      assert.match(others[1].toString(), /1\r?\n2\r?\n3/);
      // It was 12 s on a quiet machine, and a gigabyte of memory.
      assertTook(performance.now() - began, 5_000);
    });

  it('one that traps the Parquet library fails alone, and says what to do', async () => {
    const rows = 2 ** 31 - 1;
    const nulls = arrayOf(fieldOf({ kind: 'null' }, [], 'item'), rows, [], { nullCount: rows });
    const type = { kind: 'fixed-list', size: rows } as const;
    const path = held('trap', arrayOf(fieldOf(type, [nulls.field]), 1, [], { children: [nulls] }));
    const [, ...others] = await Promise.all([
      assert.rejects(read(path, 'parquet'), { kind: 'not_representable', hint: /arrow/ }),
      read(good, 'parquet'),
      read(good, 'parquet'),
      read(good, 'parquet'),
    ]);
    for (const other of others) assert.equal(other.subarray(0, 4).toString(), 'PAR1');
    assert.equal((await read(good, 'parquet')).subarray(0, 4).toString(), 'PAR1');
  });
});
