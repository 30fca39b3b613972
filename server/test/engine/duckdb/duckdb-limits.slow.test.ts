import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ProcessEngine } from '../../../src/engine/process-engine.ts';
import { privateBytes } from '../../../src/engine/process-memory.ts';
import { timePasses } from '../../support/passing-time.ts';
import { eventually } from '../../support/patience.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { readRows } from '../read-rows.ts';
import { never, poolOptions } from '../sample-pool.ts';

async function start(t: TestContext, memoryBytes: number, tempBytesMax?: number) {
  const tempDirectory = temporaryFolder('duckdb-limits');
  const { module: _, ...options } = poolOptions(tempDirectory);
  const engine = await ProcessEngine.open({
    ...options,
    processesMax: 1,
    memoryBytes,
    timeoutMs: 100_000,
    ...(tempBytesMax === undefined ? {} : { tempBytesMax }),
  });
  t.after(async () => {
    await engine.close();
    removeFolder(tempDirectory);
  });
  return { engine, tempDirectory };
}

async function begin(engine: ProcessEngine, sql: string) {
  const statement = await engine.begin(sql, 'acme', never());
  const { schemaMessage } = await statement.bind({ tables: [], insertInto: null });
  return { statement, schemaMessage };
}

test('fifty million rows for a slow reader: the memory of the server and of the process stays flat', async (t) => {
  const { engine } = await start(t, 256 * 1024 ** 2);
  const { statement } = await begin(engine, "SELECT range AS i, 'row ' || range AS s FROM range(50000000)");
  const [pid = 0] = engine.processIds;
  const rows = statement.run(null)[Symbol.asyncIterator]();
  const seen: { readonly server: number; readonly engine: number }[] = [];
  for (let at = 0; at < 60; at += 1) {
    assert.equal((await rows.next()).done, false);
    await timePasses(50, 'a slow reader');
    if (at >= 20) seen.push({ server: process.memoryUsage().arrayBuffers, engine: privateBytes(pid) ?? 0 });
  }
  await statement.close();
  const spread = (of: readonly number[]) => Math.max(...of) - Math.min(...of);
  // Garbage comes and goes; 60 batches of 2 MB in a heap that is not held back would be far more.
  assert.ok(spread(seen.map(({ server }) => server)) < 100e6, JSON.stringify(seen));
  assert.ok(spread(seen.map(({ engine: bytes }) => bytes)) < 100e6, JSON.stringify(seen));
});

test('a sort of more than the memory limit spills into the private directory, and leaves nothing there', async (t) => {
  const { engine, tempDirectory } = await start(t, 96 * 1024 ** 2);
  const sql =
    'SELECT count(*) AS n, max(r) AS last FROM (SELECT hash(range) AS h, range AS r, row_number() OVER (ORDER BY hash(range)) AS p FROM range(6000000))';
  const { statement, schemaMessage } = await begin(engine, sql);
  let spilled = 0;
  const look = setInterval(() => {
    for (const name of readdirSync(tempDirectory, { recursive: true, encoding: 'utf8' }))
      spilled = Math.max(spilled, statSync(join(tempDirectory, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 20);
  const result: unknown[][] = [];
  try {
    for await (const row of readRows(schemaMessage, statement.run(null))) result.push(row);
  } finally {
    clearInterval(look);
  }
  await statement.close();
  assert.deepEqual(result, [['6000000', '5999999']]);
  assert.ok(spilled > 1e6, `${spilled} bytes were spilled`);
  await eventually(
    'the directory is empty',
    () => readdirSync(tempDirectory, { recursive: true }).length <= 1,
  );
});

test('a statement that needs more temporary files than it may is sql_memory, and they never get larger', async (t) => {
  const limit = 64 * 1024 ** 2;
  const { engine, tempDirectory } = await start(t, 128 * 1024 ** 2, limit);
  // A gigabyte of groups that nothing makes smaller.
  const sql =
    'SELECT count(*) AS n FROM (SELECT DISTINCT hash(range), hash(range + 1), hash(range + 2) FROM range(30000000))';
  const { statement, schemaMessage } = await begin(engine, sql);
  let largest = 0;
  const look = setInterval(() => {
    const sizes = readdirSync(tempDirectory, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(tempDirectory, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    largest = Math.max(
      largest,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }, 10);
  try {
    await assert.rejects(
      (async () => {
        for await (const _row of readRows(schemaMessage, statement.run(null)));
      })(),
      { kind: 'sql_memory' },
    );
  } finally {
    clearInterval(look);
  }
  await statement.close();
  assert.ok(largest > limit / 4 && largest < limit * 1.25, `${largest} bytes of temporary files`);
});

test('a segmentation fault of DuckDB in mid-stream is engine_failed, and the next statement runs', async (t) => {
  const { engine } = await start(t, 256 * 1024 ** 2);
  const { statement } = await begin(engine, 'SELECT range AS i FROM range(1000000000)');
  const rows = statement.run(null)[Symbol.asyncIterator]();
  await rows.next();
  for (const pid of engine.processIds) process.kill(pid, 'SIGSEGV');
  await assert.rejects(
    (async () => {
      while (!(await rows.next()).done);
    })(),
    { kind: 'engine_failed' },
  );
  await statement.close();
  const next = await begin(engine, 'SELECT 42 AS n');
  for await (const row of readRows(next.schemaMessage, next.statement.run(null)))
    assert.deepEqual(row, ['42']);
  await next.statement.close();
});
