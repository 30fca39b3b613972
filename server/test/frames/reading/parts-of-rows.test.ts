import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutOf, type PartsCatalog, partsOfRows } from '../../../src/frames/reading/parts-of-rows.ts';
import type { PartRecord, VersionRecord } from '../../../src/model/version.ts';
import { sliceOf, storedVersion } from '../../../src/model/version-slice.ts';

const partOf = (id: string, rows: number): PartRecord => ({ id, rows, forms: [] });
const parts = [partOf('a', 30), partOf('b', 10), partOf('c', 20)];
const record = { tenant: 't', name: 'f', version: 9, versionId: 'nine', rows: 60 } as VersionRecord;

/** As a catalog has them, and which version it was asked for. */
const asked: unknown[] = [];
const catalog: PartsCatalog = {
  parts: async () => parts,
  partsBetween: async (_tenant, _name, version, first, end, versionId) => {
    asked.push([version, versionId, first, end]);
    const begins = parts.map((_, index) => parts.slice(0, index).reduce((sum, { rows }) => sum + rows, 0));
    const found = parts.filter(({ rows }, index) => {
      const begin = begins[index] ?? 0;
      return begin < end && begin + rows > first;
    });
    return { rowsBefore: begins[parts.indexOf(found[0] as PartRecord)] ?? 0, parts: found };
  },
};

async function read(firstRow: number, endRow: number, range?: { offset: number; rowCount: number }) {
  const slice = sliceOf(record, { after: 2, until: 5, untilId: 'five', firstRow, endRow });
  const found = await partsOfRows(catalog, slice, range);
  return {
    ids: found.parts.map(({ id }) => id).join(''),
    before: found.rowsBefore,
    cut: cutOf(slice, found),
  };
}

test('a slice is read from the version that is kept, and is none by its id', async () => {
  const slice = sliceOf(record, { after: 2, until: 5, untilId: 'five', firstRow: 30, endRow: 40 });
  assert.deepEqual([slice.version, slice.versionId, slice.rows], [5, 'five~30', 10]);
  assert.deepEqual(storedVersion(slice), { after: 2, version: 9, versionId: 'nine', firstRow: 30 });
  assert.deepEqual(storedVersion(record), { version: 9, versionId: 'nine' });
  await partsOfRows(catalog, slice);
  assert.deepEqual(asked.at(-1), [9, 'nine', 30, 40]);
});

test('whole parts are not cut', async () => {
  assert.deepEqual(await read(30, 40), { ids: 'b', before: 0, cut: null });
  assert.deepEqual(await read(30, 60), { ids: 'bc', before: 0, cut: null });
  assert.deepEqual(await read(0, 60), { ids: 'abc', before: 0, cut: null });
  assert.equal((await partsOfRows(catalog, record)).parts, parts);
});

test('rows inside of parts are cut out of them', async () => {
  assert.deepEqual(await read(5, 35), { ids: 'ab', before: -5, cut: { offset: 5, limit: 30 } });
  assert.deepEqual(await read(5, 30), { ids: 'a', before: -5, cut: { offset: 5, limit: 25 } });
  assert.deepEqual(await read(0, 35), { ids: 'ab', before: 0, cut: { offset: 0, limit: 35 } });
});

test('rows of a slice are counted from its first one', async () => {
  const { ids, before } = await read(5, 60, { offset: 30, rowCount: 5 });
  assert.deepEqual([ids, before], ['b', 25]);
  assert.deepEqual(asked.at(-1), [9, 'nine', 35, 40]);
});
