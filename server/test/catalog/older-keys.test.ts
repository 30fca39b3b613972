import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { change, described, start, tenant } from './change-builder.ts';
import { refused } from './conformance/assertions.ts';

const folder = temporaryFolder('older-keys');
after(() => removeFolder(folder));

test('a key of the release before is answered whatever the body is, and that release finds the keys of this one', async () => {
  const path = join(folder, 'catalog.sqlite');
  const first = await openSqliteCatalog({ path });
  const idempotency = { key: 'k', fingerprint: 'p', body: 'b' };
  const { record } = await first.commit(change('kept', 'create', { idempotency }));
  await refused(first.replay(tenant, 'k', 'p', start, 'other'), 'idempotency_conflict');
  await first.close();
  const file = new DatabaseSync(path);
  const row = file.prepare('SELECT fingerprint, answer FROM idempotency').get() as Record<string, string>;
  const { record: kept, created } = JSON.parse(row.answer ?? '');
  assert.deepEqual([row.fingerprint, kept[1], created], ['p', 'kept', true]);
  // All that it has kept.
  file.prepare('UPDATE idempotency SET answer = ?').run(JSON.stringify({ record: kept, created }));
  file.close();
  const second = await openSqliteCatalog({ path });
  const answer = await second.replay(tenant, 'k', 'p', start, 'other');
  assert.deepEqual([answer?.record, answer?.added], [described(record), undefined]);
  await refused(second.replay(tenant, 'k', 'q', start, 'b'), 'idempotency_conflict');
  await second.close();
});
