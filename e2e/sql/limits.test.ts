/** What one caller's statement can do to others, against the built command: nothing. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { descendants, treeCpuSeconds } from '../../bench/sql/process-tree.ts';
import { assertProblem, getText, putFrame } from '../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { arrowBytes, pythonCommand } from '../../server/test/support/python.ts';
import { repositoryRoot } from '../../server/test/support/repository.ts';
import { postSql, queries, sqlTable, untilQuery } from './sql-client.ts';

const timeoutMs = 8_000;
const rowCount = 1_000_000;
/** A trillion pairs: nobody waits for that. */
const endless = 'select count(*) as n from big a, big b where a.n * b.n = -1';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({
    command: builtCommand,
    env: {
      FRAMEHOLD_SQL_PROCESSES_MAX: '2',
      FRAMEHOLD_SQL_MEMORY_BYTES_MAX: '128MiB',
      FRAMEHOLD_SQL_TEMP_BYTES_MAX: '64MiB',
      FRAMEHOLD_SQL_TIMEOUT_MS: String(timeoutMs),
    },
  });
  const { big } = await arrowBytes({ big: `pa.table({'n': pa.array(range(${rowCount}), pa.int64())})` });
  await putFrame(framehold.url, 'big', big);
  await sqlTable(framehold.url, 'select count(*) from big');
});
after(async () => await framehold.remove());

const sql = (text: string, members: Record<string, unknown> = {}) => postSql(framehold.url, text, members);
const engines = () => descendants(framehold.pid);

/** The engine that works: that of a reader who waits does not. */
async function busiestEngine(): Promise<number> {
  const first = new Map(engines().map((pid) => [pid, treeCpuSeconds(pid)]));
  return await framehold.until('an engine that works', () => {
    const used = [...first].map(([pid, then]) => ({ pid, cpu: treeCpuSeconds(pid) - then }));
    const [most, next] = used.sort((one, other) => other.cpu - one.cpu);
    return most !== undefined && most.cpu > 0.1 && most.cpu > 3 * (next?.cpu ?? 0) ? most.pid : null;
  });
}

/** Holds a result half read until the returned function is called, which gives the number of its lines. */
async function heldReader(id: string): Promise<() => Promise<number>> {
  const query = "select n, repeat('x', 100) as s from big";
  const url = `${framehold.url}/v1/sql?${new URLSearchParams({ id, query, fmt: 'ndjson' })}`;
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(answer.status, 200);
  const chunks = (answer.body ?? assert.fail('no body'))[Symbol.asyncIterator]();
  let lines = 0;
  const take = (chunk: Uint8Array) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  };
  take((await chunks.next()).value);
  return async () => {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) take(next.value);
    return lines;
  };
}

/** Something bad happens to a statement: it ends as said, another one and reads go on, and the next one runs within 2 s. */
async function harms(
  what: string,
  bad: string,
  harm: () => Promise<void>,
  expected: { readonly status: number; readonly code: string; readonly withinMs: number },
): Promise<void> {
  const bystander = `${what}-bystander`;
  const readOn = await heldReader(bystander);
  try {
    const began = performance.now();
    const answer = sql(bad, { id: what });
    answer.catch(() => {});
    await untilQuery(framehold.url, what, 'running', 10_000);
    await harm();
    assert.equal((await getText(`${framehold.url}/exec?handle=big&fmt=json&limit=1`)).status, 200);
    assertProblem(await answer, expected.status, expected.code);
    const took = performance.now() - began;
    assertTook(took, expected.withinMs, 'the answer');
    assert.ok((await queries(framehold.url)).some(({ id }) => id === bystander));
    const next = performance.now();
    assert.deepEqual((await sqlTable(framehold.url, 'select count(*) as n from big')).dataset, [[rowCount]]);
    const back = performance.now() - next;
    assertTook(back, 2_000, 'the next statement');
    assert.equal(await readOn(), rowCount);
  } finally {
    // If it failed, the next test must find its places free.
    for (const id of [bystander, what])
      await getText(`${framehold.url}/v1/queries/${id}`, { method: 'DELETE' });
  }
}

test('a segmentation fault of an engine is an error to its caller only', async () => {
  await harms('fault', endless, async () => void process.kill(await busiestEngine(), 'SIGSEGV'), {
    status: 500,
    code: 'engine_failed',
    withinMs: timeoutMs,
  });
});

test('an engine that takes no interrupt is ended when the time is over', async () => {
  await harms('stopped', endless, async () => void process.kill(await busiestEngine(), 'SIGSTOP'), {
    status: 504,
    code: 'sql_timeout',
    withinMs: timeoutMs + 1_000,
  });
});

test('a statement that works for too long fails with sql_timeout', async () => {
  await harms('long', endless, async () => {}, {
    status: 504,
    code: 'sql_timeout',
    withinMs: timeoutMs + 1_000,
  });
});

test('a statement that needs more memory and temporary files than it may fails with sql_memory', async () => {
  const groups =
    'select count(*) from (select distinct hash(a.n), hash(a.n + 1), b.n from big a, range(30) b(n))';
  await harms('memory', groups, async () => {}, { status: 422, code: 'sql_memory', withinMs: timeoutMs });
});

test('a Flight caller that leaves stops its statement within a second, before and while it reads', async () => {
  for (const [when, statement] of [
    ['before the first row', endless],
    ['while it reads', "select a.n, repeat('x', 100) as s from big a, big b"],
  ] as const) {
    const reader = leaveLater(statement);
    try {
      const [id] = await framehold.until('the statement', async () => {
        const ids = (await queries(framehold.url)).filter(({ query }) => query === statement);
        return ids.length === 1 ? ids.map((each) => each.id) : null;
      });
      if (when === 'while it reads') await once(reader.stdout ?? reader, 'data');
      reader.kill('SIGKILL');
      await untilQuery(framehold.url, id ?? '', null, 1_000);
    } finally {
      reader.kill('SIGKILL');
    }
  }
});

function leaveLater(statement: string): ChildProcess {
  const script = [
    'import sys, time, adbc_driver_flightsql.dbapi as dbapi',
    'cursor = dbapi.connect(sys.argv[1], autocommit=True).cursor()',
    'cursor.execute(sys.argv[2])',
    'cursor.fetch_record_batch().read_next_batch()',
    "print('read', flush=True)",
    'time.sleep(60)',
  ].join('\n');
  return spawn(pythonCommand, ['-c', script, framehold.grpcUrl, statement], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 600_000,
  });
}

test('a hundred statements at once all end in the order of their arrival, and /ping goes on', async (t) => {
  const script = join(repositoryRoot, 'bench', 'sql', 'crowd.ts');
  const crowd = () => promisify(execFile)(process.execPath, [script, '100', '4000000'], { timeout: 600_000 });
  // Again if it fails: other work on the machine may delay the answer to a ping.
  const { stdout } = await crowd()
    .catch(crowd)
    .catch(crowd)
    .catch((failed: { stdout?: string }) => assert.fail(failed.stdout ?? String(failed)));
  t.diagnostic(stdout);
});

test('nothing is left behind: no temporary file while it rests, no process when it has stopped', async () => {
  await framehold.until('empty temporary folders', () => {
    const left = readdirSync(join(framehold.dataDirectory, 'sql-tmp'), { recursive: true, encoding: 'utf8' });
    return left.every((name) => !name.includes('/')) ? true : null;
  });
  const running = engines();
  assert.ok(running.length > 0);
  await framehold.stop();
  for (const pid of running) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});
