import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RowCollector } from '../../../src/http/mcp/row-collector.ts';

/** An answer as encode/json.ts writes it. */
function answerOf(rows: readonly (readonly unknown[])[]): Buffer {
  const columns = [
    { name: 'a[]{}"\\', type: 'LONG' },
    { name: ',', type: 'ARRAY', dim: 1 },
  ];
  return Buffer.from(JSON.stringify({ query: '[[', columns, dataset: rows, count: rows.length }));
}

function collect(bytes: Buffer, chunk: number, rowsMax: number, bytesMax: number): RowCollector {
  const collector = new RowCollector({ rowsMax, bytesMax });
  for (let at = 0; at < bytes.length; at += chunk) {
    // The memory of a chunk is used again, as a renderer may do.
    const part = Buffer.from(bytes.subarray(at, at + chunk));
    const goesOn = collector.take(part);
    part.fill(0);
    if (!goesOn) break;
  }
  return collector;
}

test('whole rows are kept as they were rendered, wherever chunks end and limits are', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('"],[', '\\', '{', '}', 'é'),
    fc.integer(),
    fc.constant(null),
  );
  const nested = fc.oneof(
    cell,
    fc.array(cell, { maxLength: 3 }),
    fc.dictionary(fc.string(), cell, { maxKeys: 2 }),
  );
  const rows = fc.array(fc.array(nested, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
  fc.assert(
    fc.property(
      rows,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 13 }),
      fc.nat(400),
      (all, chunk, rowsMax, bytesMax) => {
        const { text, count, reason } = collect(answerOf(all), chunk, rowsMax, bytesMax);
        assert.equal(text, JSON.stringify(all.slice(0, count)));
        assert.ok(count <= rowsMax);
        const kept = all.slice(0, rowsMax);
        const bytesTo = (index: number) => Buffer.byteLength(JSON.stringify(kept.slice(0, index + 1))) - 2;
        const fit = kept.findIndex((_, index) => bytesTo(index) > bytesMax);
        assert.equal(count, fit === -1 ? kept.length : fit);
        assert.equal(reason, fit !== -1 ? 'bytes' : all.length > rowsMax ? 'rows' : null);
      },
    ),
    { numRuns: 1_000 },
  );
});
