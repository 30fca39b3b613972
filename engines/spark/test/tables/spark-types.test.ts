/** Every type of Arrow through transcoding and a real Spark: each value is the one that was put, or the column is refused by its name. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { transcodedTable } from '../../../../server/test/engine/duckdb/statement-runs.ts';
import { runPython } from '../../../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import { readTable } from '../../src/tables/read-table.ts';
import { vectorizedKey } from '../../src/tables/table-settings.ts';
import { startSparkConnect } from '../support/spark-connect-server.ts';
import { TableSession } from './table-session.ts';
import { caseStreams } from './type-cases.ts';

const folder = temporaryFolder('spark-types');
const wide = join(folder, 'wide');
// A place such as operators have: Spark must take nothing in it for a pattern, a partition or a hidden file.
const parquet = join(folder, 'a=1', `_it's 100% "mine"`);
for (const each of [wide, parquet]) mkdirSync(each, { recursive: true });
const sources = await caseStreams(folder);
const groups = (await runPython(
  [join(import.meta.dirname, 'wide-cases.py'), sources, wide],
  null,
)) as string[];
const server = await startSparkConnect();
const client = await ConnectClient.open({ url: server.url });
const tables: EngineTable[] = [];
for (const group of groups) tables.push(await transcodedTable(group, join(wide, `${group}.arrows`), parquet));

after(async () => {
  client.close();
  await server.stop();
  removeFolder(folder);
});

/** Values beyond the years that microseconds reach. */
const beyond = /^timestamp_(s|ms)(_|$)/;
/** A date with a time of day in it: refused when that value is read. */
const notWhole = 'refused_date64_with_time v 1';
const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

function readableNames(table: EngineTable, floats: boolean): readonly string[] {
  return readTable(table).flatMap(({ name, reading }) =>
    reading.kind === 'unreadable' || beyond.test(name) || name === notWhole || (reading.byRows && !floats)
      ? []
      : [name],
  );
}

async function compare(
  label: string,
  names: (table: EngineTable) => readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const session = await TableSession.open(client, tables, settings);
  const results: Record<string, string> = {};
  let count = 0;
  for (const table of tables) {
    const columns = names(table);
    count += columns.length;
    const { stream } = await session.rows(
      `SELECT ${columns.map(quoted).join(', ')} FROM ${table.name} ORDER BY nr`,
    );
    results[table.name] = join(folder, `${label}-${table.name}.out`);
    writeFileSync(results[table.name] as string, stream);
  }
  await session.close();
  const { differing } = (await runPython([join(import.meta.dirname, 'compare-columns.py')], {
    sources: Object.fromEntries(groups.map((group) => [group, join(wide, `${group}.arrows`)])),
    results,
  })) as { differing: Record<string, string> };
  assert.deepEqual(differing, {});
  return count;
}

describe('every value that Spark reads is the one that was put', () => {
  test('row by row, as tables with floating-point columns are read', async () => {
    const count = await compare('rows', (table) => readableNames(table, true), {});
    assert.ok(count > 90, `${count} columns`);
  });

  test('many values at once, as all other tables are read', async () => {
    const count = await compare('vectors', (table) => readableNames(table, false), {
      [vectorizedKey]: 'true',
    });
    assert.ok(count > 80, `${count} columns`);
  });
});

test('times that Spark has no room for end the statement', async () => {
  const session = await TableSession.open(client, tables);
  for (const name of ['timestamp_s', 'timestamp_ms'])
    await assert.rejects(
      session.rows(`SELECT ${quoted(name)} FROM ${tableWith(name).name}`),
      (error: Error) => {
        assert.match(error.message, /overflow|FAILED_READ_FILE/, name);
        return true;
      },
    );
  await session.close();
});

function tableWith(name: string): EngineTable {
  const table = tables.find((each) => readTable(each).some((column) => column.name === name));
  assert.ok(table !== undefined, name);
  return table;
}

describe('a column that cannot be read is refused by its name', () => {
  const reasons: Readonly<Record<string, RegExp>> = {
    uint64: /\(uint64\).*unsigned 64 bits/,
    float16: /\(float16\).*half-precision/,
    decimal256: /\(decimal256\(76, 10\)\).*38 digits/,
    timestamp_ns: /\(timestamp\[ns\]\).*microseconds/,
    time64_us: /\(time64\[us\]\).*time of day/,
    duration_us: /\(duration\[us\]\).*would read numbers/,
    [notWhole]: /\(date64\).*time within a day/,
    'refused_interval v 1': /interval.*no such type/,
    map_from_seconds: /keys of a map cannot be converted/,
  };

  test('with the reason and what to do, wherever the statement uses it, and only then', async () => {
    const session = await TableSession.open(client, tables);
    for (const [name, reason] of Object.entries(reasons)) {
      const table = tableWith(name);
      await assert.rejects(
        session.rows(`SELECT ${quoted(name)} FROM ${table.name}`),
        (error: FrameholdError) => {
          assert.equal(error.kind, 'column_not_readable', `${name}: ${error.message}`);
          assert.ok(error.message.startsWith(`Column "${name}" of "${table.name}"`), error.message);
          assert.match(error.message, reason);
          assert.match(error.hint ?? '', /^The other columns can be read.*duckdb may read it\.$/);
          return true;
        },
      );
    }
    const [table] = tables as [EngineTable];
    const name = readTable(table).find(({ reading }) => reading.kind === 'unreadable')?.name as string;
    for (const sql of [
      `SELECT * FROM ${table.name}`,
      `SELECT count(${quoted(name)}) FROM ${table.name}`,
      `SELECT 1 FROM ${table.name} WHERE ${quoted(name)} IS NULL`,
    ])
      await assert.rejects(session.rows(sql), { kind: 'column_not_readable' }, sql);
    assert.equal((await session.rows(`SELECT count(*) FROM ${table.name}`)).rows, 1);
    await session.close();
  });
});
