import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoredVersion, type SourceRow } from '../../../src/catalog/rules/restore.ts';
import { start, tenant } from '../change-builder.ts';
import { liveName, recordRow } from './rows.ts';

const change = {
  attempt: 'attempt',
  tenant,
  name: 'kept',
  version: 1,
  ifVersion: null,
  idempotency: null,
  now: start + 1,
};
const source: SourceRow = {
  log: 1,
  part_count: 2,
  rows: 20,
  bytes: 200,
  hash: 'earlier schema',
  schema_id: 9,
  origin_format: 'csv',
  origin_query: '{"dates":"iso"}',
};

test('a restored version has the rows of the earlier one, and the expiry, the setting and the life of the name', () => {
  const name = liveName({ expires_at: start + 9, versions_keep: 4, life: 1 });
  const { committed, event } = restoredVersion(change, name, source, 'new id');
  const record = recordRow({
    version: 4,
    created_at: start + 1,
    expires_at: start + 9,
    rows: 20,
    bytes: 200,
    part_count: 2,
    origin_kind: 'restored',
    origin_format: 'csv',
    hash: 'earlier schema',
    origin_query: '{"dates":"iso"}',
    restored_from: 1,
    life: 1,
    version_id: 'new id',
    versions_keep: 4,
  });
  assert.deepEqual(committed, { record, created: false, replayedColumns: null, expired: null });
  assert.deepEqual(event.frame.origin, { kind: 'restored', format: 'csv', from: 1 });
  assert.equal(event.kind, 'frame.restored');
});
