/** No column makes a frame unreadable: the others are read, and one that cannot be is refused by its name, with what to do. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaOf } from '../../../src/engine/duckdb/tables/table-view.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import { decodeStream } from '../../arrow/stream-bytes.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from './statement-runs.ts';

const folder = temporaryFolder('every-type');
after(() => removeFolder(folder));
await runPython([join(import.meta.dirname, 'every-type.py'), folder], null);
const table = await transcodedTable('every', join(folder, 'every.arrows'), folder);
const options = sandboxOptions(folder);
const run = (sql: string) => runStatement({ sql, options, tables: [table] });

/** Types that have no exact form in Parquet or in SQL. */
const unreadable =
  /^(decimal256|negative|date64|instant|duration|interval|empty|sparse|dense|same|nameless)\b/;
const isUnreadable = (name: string) => unreadable.test(name) || name === 'run_end in a dictionary';
const names = schemaOf(table.schemaMessage).fields.map(({ name }) => name);

test('the integers beside a column of every type are read', async () => {
  const { batches } = await decodeStream((await run('SELECT ok FROM every WHERE ok > 20')).stream);
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1],
  );
});

test('columns of all other types are read', async () => {
  const readable = names.filter((name) => !isUnreadable(name));
  const { stream } = await run(`SELECT ${readable.map((name) => `"${name}"`)} FROM every`);
  const [batch] = (await decodeStream(stream)).batches;
  assert.deepEqual([batch?.length, batch?.columns.length], [2, readable.length]);
});

test('a column that cannot be read is refused by its name, with what to do', async () => {
  for (const name of names.filter((each) => isUnreadable(each) && !/ in a (list|struct|map)$/.test(each)))
    await assert.rejects(run(`SELECT ok, "${name}" FROM every`), (error: FrameholdError) => {
      assert.equal(error.kind, 'column_not_readable', `${name}: ${error.message}`);
      assert.ok(error.message.includes(`Column "${name}"`), error.message);
      assert.match(error.hint ?? '', /can be read/);
      return true;
    });
});

test('all columns at once are refused', async () => {
  await assert.rejects(
    run('SELECT * FROM every'),
    (error: FrameholdError) => error.kind === 'column_not_readable',
  );
  await run(`SELECT COLUMNS(c -> c IN ('ok', 'utf8', 'view', 'list')) FROM every`);
});
