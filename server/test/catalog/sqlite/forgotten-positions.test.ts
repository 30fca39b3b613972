/** What is known of versions that nothing goes back to is forgotten, and finding that out does not take longer for a name that has much of it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { positionsMax } from '../../../src/catalog/rules/row-range.ts';
import { openDatabase } from '../../../src/catalog/sqlite/layout.ts';
import { createOperations } from '../../../src/catalog/sqlite/thread/operations.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { dropOf, start } from '../change-builder.ts';

const folder = temporaryFolder('forgotten-positions');
after(() => removeFolder(folder));

const versions = 20_000;

/** A name with these versions, the newest `kept` of which are kept. A trigger makes a run of each, as none has a log with others. */
function seeded(kept: number, base: 'first - 1' | 'NULL') {
  const db = openDatabase(join(folder, `${randomUUID()}.sqlite`));
  db.exec(`
    BEGIN;
    INSERT INTO schemas VALUES (1, 'seeded', x'00', '[]');
    INSERT INTO names (id, tenant, lower, name, frame_id, next_version, newest, kept, oldest_at)
      VALUES (1, 't', 'f', 'f', 'id', ${versions} + 1, ${versions}, ${kept}, ${start});
    WITH RECURSIVE v (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM v WHERE i < ${versions})
      INSERT INTO versions (name_id, version, log, part_count, rows, bytes, schema_id, created_at, origin_kind, origin_format)
      SELECT 1, i, i, 1, 10, 100, 1, ${start}, 'upload', 'arrow' FROM v;
    INSERT INTO parts (part_id, name_id, log, seq, rows, size) SELECT 'p' || version, 1, version, 0, 10, 100 FROM versions;
    DELETE FROM versions WHERE version <= ${versions - kept};
    UPDATE version_runs SET base = ${base} WHERE first > 1;
    COMMIT`);
  const operations = createOperations(db).all;
  return {
    positions: (after: number) => operations.rowPositions('t', 'f', after, null, start),
    /** Milliseconds. */
    changed(change: (all: typeof operations) => void): number {
      const began = performance.now();
      db.exec('BEGIN IMMEDIATE');
      change(operations);
      db.exec('COMMIT');
      return performance.now() - began;
    },
    known: () =>
      db
        .prepare(
          'SELECT (SELECT count(*) FROM version_runs) AS runs, (SELECT count(*) FROM positions) AS positions',
        )
        .get() as { runs: number; positions: number },
    execute: (sql: string) => db.exec(sql),
  };
}

function refusalOf(ask: () => unknown): string {
  try {
    return `nothing: ${JSON.stringify(ask())}`;
  } catch (error) {
    assert.ok(error instanceof FrameholdError, String(error));
    return error.kind;
  }
}

test('of a name that was always replaced, the run of the version that ends goes', () => {
  const name = seeded(versions, 'NULL');
  const ms = name.changed(({ sweep }) => sweep(versions - 1, null, start));
  assert.deepEqual({ ...name.known() }, { runs: versions - 1, positions: versions - 1 });
  // All runs against each other took 45 s.
  assert.ok(ms < 2000, `${ms} ms`);
});

test('of a chain of restores, what a kept version goes back to stays; it is followed for a thousand of them', () => {
  const name = seeded(10, 'first - 1');
  const ms = name.changed(({ sweep }) => sweep(9, null, start));
  assert.deepEqual({ ...name.known() }, { runs: versions, positions: versions });
  assert.equal(name.positions(0).endRow, 10);
  assert.equal(name.positions(versions - 900).until, versions);
  assert.equal(
    refusalOf(() => name.positions(versions - 1500)),
    'position_unknown',
  );
  assert.ok(ms < 2000, `${ms} ms`);
  const dropped = name.changed(({ drop }) => drop(dropOf('t', 'f', null, null, start)));
  assert.deepEqual({ ...name.known() }, { runs: 0, positions: 0 });
  assert.ok(dropped < 5000, `${dropped} ms`);
});

test('what is older than the newest versions with a position goes, but no run of a version that is kept', () => {
  const name = seeded(10, 'first - 1');
  const later = versions + positionsMax - 100;
  name.execute(`UPDATE names SET next_version = ${later}`);
  name.changed(({ sweep }) => sweep(9, null, start));
  assert.deepEqual({ ...name.known() }, { runs: 101, positions: 101 });
  name.execute(`UPDATE names SET next_version = ${later + positionsMax}`);
  name.changed(({ sweep }) => sweep(8, null, start));
  assert.deepEqual({ ...name.known() }, { runs: 8, positions: 0 });
  assert.equal(
    refusalOf(() => name.positions(versions - 3)),
    'position_unknown',
  );
  assert.equal(name.positions(0).endRow, 10);
});
