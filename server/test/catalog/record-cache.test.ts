import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordCache } from '../../src/catalog/record-cache.ts';
import type { VersionRecord } from '../../src/model/version.ts';
import { plainSchema, schemaOf, start, tenant } from './change-builder.ts';

function recordOf(name: string, version: number, fields: Partial<VersionRecord> = {}): VersionRecord {
  return {
    tenant,
    name,
    version,
    versionId: 'version-id',
    frameId: 'id',
    createdAt: start,
    expiresAt: null,
    rows: 1,
    bytes: 1,
    partCount: 1,
    origin: { kind: 'upload', format: 'arrow' },
    schema: plainSchema,
    ...fields,
  };
}

test('the newest and the numbered versions are kept apart', () => {
  const cache = new RecordCache();
  const newest = recordOf('f', 2);
  cache.put(newest, null);
  assert.equal(cache.get(tenant, 'f', null, start), newest);
  assert.equal(cache.get(tenant, 'f', 2, start), undefined);
});

test('another case and another tenant are other names', () => {
  const cache = new RecordCache();
  cache.put(recordOf('f', 1), null);
  assert.equal(cache.get(tenant, 'F', null, start), undefined);
  assert.equal(cache.get('other', 'f', null, start), undefined);
});

test('a record past its expiry is not given', () => {
  const cache = new RecordCache();
  const record = recordOf('f', 1, { expiresAt: start + 5 });
  cache.put(record, null);
  assert.equal(cache.get(tenant, 'f', null, start + 4), record);
  assert.equal(cache.get(tenant, 'f', null, start + 5), undefined);
});

test('renew and forget leave no version of before, in whatever case', () => {
  const cache = new RecordCache();
  cache.put(recordOf('f', 1), 1);
  cache.put(recordOf('f', 1), null);
  const renewed = recordOf('F', 2);
  cache.renew(renewed);
  assert.equal(cache.get(tenant, 'f', 1, start), undefined);
  assert.equal(cache.get(tenant, 'F', null, start), renewed);
  cache.forget(tenant, 'f');
  assert.equal(cache.get(tenant, 'F', null, start), undefined);
});

test('a changed name is forgotten in both generations', () => {
  const cache = new RecordCache({ recordsMax: 4, bytesMax: 1e9 });
  cache.put(recordOf('f', 1), 1);
  cache.put(recordOf('g', 1), 1);
  cache.renew(recordOf('f', 2));
  assert.equal(cache.get(tenant, 'f', 1, start), undefined);
  cache.forget(tenant, 'g');
  assert.equal(cache.get(tenant, 'g', 1, start), undefined);
});

test('entries in use stay, and others are evicted at the limit', () => {
  const cache = new RecordCache({ recordsMax: 10, bytesMax: 1e9 });
  const hot = recordOf('hot', 1);
  cache.put(hot, null);
  for (let index = 0; index < 100; index++) {
    cache.put(recordOf(`n${index}`, 1), null);
    assert.equal(cache.get(tenant, 'hot', null, start), hot);
  }
  const held = Array.from({ length: 100 }, (_, index) => cache.get(tenant, `n${index}`, null, start));
  assert.ok(held.filter((record) => record !== undefined).length <= 10);
  assert.equal(held[0], undefined);
});

test('large schemas are evicted when their bytes reach the limit', () => {
  const cache = new RecordCache({ recordsMax: 1e6, bytesMax: 10_000 });
  for (let index = 0; index < 50; index++) {
    const schema = { ...schemaOf(`c${index}`), message: new Uint8Array(1000) };
    cache.put(recordOf(`n${index}`, 1, { schema }), null);
  }
  const held = Array.from({ length: 50 }, (_, index) => cache.schema(schemaOf(`c${index}`).hash));
  const count = held.filter((schema) => schema !== undefined).length;
  assert.ok(count >= 1 && count <= 10, `${count} schemas`);
});
