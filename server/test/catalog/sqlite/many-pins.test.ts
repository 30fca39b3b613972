import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../../src/catalog/sqlite/layout.ts';
import { createOperations } from '../../../src/catalog/sqlite/thread/operations.ts';
import { inLongRun } from '../../support/long-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { start } from '../change-builder.ts';

const manyNames = inLongRun(100_000, 1_000);

test(`of ${manyNames} names whose surplus is pinned, only the first sweep looks at each`, (t) => {
  const db = openDatabase(join(temporaryFolder('many-pins'), 'catalog.sqlite'));
  // Three versions of each name, of which the first has a link.
  db.exec(`
    BEGIN;
    INSERT INTO schemas VALUES (1, 'seeded', x'00', '[]');
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${manyNames})
      INSERT INTO names (id, tenant, lower, name, frame_id, next_version, newest, kept, oldest_at)
      SELECT i, 't', 'f' || i, 'f' || i, 'id' || i, 4, 3, 3, ${start} FROM n;
    INSERT INTO versions (name_id, version, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format)
      SELECT names.id, v.value, v.value, 1, 10, 100, 1, ${start}, 'upload', 'arrow' FROM names, json_each('[1, 2, 3]') v;
    INSERT INTO parts (part_id, name_id, log, seq, rows, size) SELECT name_id || '.' || log, name_id, log, 0, 10, 100 FROM versions;
    INSERT INTO links (id, tenant, name_id, version, life, created_at, created_by, expires_at)
      SELECT 'link' || id, 't', id, 1, 0, ${start}, 'someone', ${start} + id FROM names;
    COMMIT`);
  const { sweep, pinned } = createOperations(db).all;
  /** How many names a sweep has looked at. */
  const swept = (now: number) => {
    let names = 0;
    const began = performance.now();
    for (;;) {
      db.exec('BEGIN IMMEDIATE');
      const { pruned, more } = sweep(1, start + manyNames, now);
      db.exec('COMMIT');
      names += pruned.length;
      if (!more) break;
    }
    t.diagnostic(`${names} names in ${(performance.now() - began).toFixed(1)} ms`);
    return names;
  };
  try {
    assert.equal(swept(start), manyNames);
    assert.deepEqual(pinned('t', 0), { versions: manyNames, bytes: 100 * manyNames, frames: [] });
    assert.equal(swept(start), 0);
    assert.equal(swept(start + 7), 7, 'those whose links have expired');
    assert.equal(swept(start + 7), 0);
    const began = performance.now();
    assert.equal(pinned('t', 20).frames.length, 20);
    t.diagnostic(`what is pinned, in ${(performance.now() - began).toFixed(1)} ms`);
  } finally {
    db.close();
  }
});
