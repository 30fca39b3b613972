import assert from 'node:assert/strict';
import { mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Child } from '../support/child-process.ts';
import { assertTook } from '../support/machine-pace.ts';
import { eventually } from '../support/patience.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { directoriesIn, isAlive, never, runToFirst, runWhole, startPool, took } from './sample-pool.ts';

test('a crash in mid-stream is engine_failed for its own statement only, and a process is back within 2 s', async (t) => {
  const { engine, tempDirectory, observations } = await startPool(t, { processesMax: 2 });
  const victim = await runToFirst(engine, 'place 60000');
  const [, directory, pid] = JSON.parse(victim.first);
  const other = await runToFirst(engine, 'slow-rows 20 50');
  process.kill(pid, 'SIGSEGV');
  await assert.rejects(victim.rows.next(), { kind: 'engine_failed' });
  const ms = await took(runWhole(engine, 'rows 1 1').then((rows) => assert.deepEqual(rows, ['0'])));
  assertTook(ms, 2_000);
  let batches = 1;
  while (!(await other.rows.next()).done) batches += 1;
  assert.equal(batches, 20);
  await victim.statement.close();
  await other.statement.close();
  await eventually(
    'its directory is gone',
    () => !directoriesIn(tempDirectory).some((name) => directory.endsWith(name)),
  );
  await eventually('it is reported', () => observations.length > 0);
  const [observed] = observations;
  assert.ok(observed?.event === 'engine-process-ended');
  assert.deepEqual([observed.reason, observed.signal], ['crash', 'SIGSEGV']);
});

test('a process that dies while idle is noticed by nobody', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  await runWhole(engine, 'rows 1 1');
  const [pid = 0] = engine.processIds;
  process.kill(pid, 'SIGKILL');
  await eventually('it is gone', () => !engine.processIds.includes(pid));
  assert.deepEqual(await runWhole(engine, 'rows 1 1'), ['0']);
});

test('an entry module that does not start is engine_failed, not an endless try', async (t) => {
  const { engine, tempDirectory } = await startPool(t, {
    module: new URL('./no-such-module.ts', import.meta.url),
  });
  await assert.rejects(engine.begin('rows 1 1', 'acme', never()), { kind: 'engine_failed' });
  await eventually('all of them are gone', () => engine.processIds.length === 0);
  assert.deepEqual(directoriesIn(tempDirectory), []);
});

test("nothing of the server's environment is visible in the process", async (t) => {
  process.env.FRAMEHOLD_TEST_SECRET = 'secret';
  t.after(() => {
    delete process.env.FRAMEHOLD_TEST_SECRET;
  });
  const { engine } = await startPool(t);
  const [environment = ''] = await runWhole(engine, 'environment');
  const { NODE_COMPILE_CACHE: compileCache, ...others } = JSON.parse(environment) as Record<string, string>;
  assert.deepEqual(Object.keys(others).sort(), ['TZ', 'UV_THREADPOOL_SIZE']);
  if (compileCache !== undefined) assert.match(compileCache, /\/isolated$/, "apart from the server's own");
  const [pid = 0] = engine.processIds;
  assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'latin1'), /secret|PATH|HOME/);
});

test('the process has none of the files that the server has open', async (t) => {
  const folder = temporaryFolder('open-file');
  t.after(() => removeFolder(folder));
  const file = join(folder, 'catalog');
  writeFileSync(file, '');
  openSync(file, 'r');
  const { engine } = await startPool(t);
  const [descriptors = ''] = await runWhole(engine, 'descriptors');
  const targets: string[] = JSON.parse(descriptors);
  const files = targets.filter(
    (target) => target.startsWith('/') && !target.startsWith('/dev/') && !target.startsWith('/proc/'),
  );
  assert.deepEqual(files, []);
});

test('the process works in a directory of its own, which nobody else may read', async (t) => {
  const { engine, tempDirectory } = await startPool(t);
  const [first, second] = await Promise.all([runWhole(engine, 'place 300'), runWhole(engine, 'place 300')]);
  const [cwd, given] = JSON.parse(first?.[0] ?? '');
  const [otherCwd] = JSON.parse(second?.[0] ?? '');
  assert.equal(cwd, given);
  assert.notEqual(cwd, otherCwd);
  assert.equal(join(cwd, '..'), tempDirectory);
  assert.equal(statSync(cwd).mode & 0o777, 0o700);
});

test('what a statement leaves in the directory is gone before the next one', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const [first, second] = [await runWhole(engine, 'place'), await runWhole(engine, 'place')];
  assert.deepEqual(first, second);
});

test('if memory runs out, the kernel ends the process before the server', async (t) => {
  const { engine } = await startPool(t);
  await runWhole(engine, 'rows 1 1');
  const [pid = 0] = engine.processIds;
  assert.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1').trim(), '800');
});

test('signals to the whole group do not end a process: the server decides', async (t) => {
  const { engine } = await startPool(t, { processesMax: 1 });
  const { statement, rows } = await runToFirst(engine, 'wait 300');
  for (const pid of engine.processIds)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
  assert.equal((await rows.next()).done, false);
  assert.equal((await rows.next()).done, true);
  await statement.close();
});

test('kill -9 of the server leaves no process behind, and no directory', async (t) => {
  const folder = temporaryFolder('orphans');
  t.after(() => removeFolder(folder));
  const program = new URL('./sample-server.ts', import.meta.url).pathname;
  const server = new Child({ command: process.execPath, args: [program, folder] });
  const [, list = ''] = await server.line(/^engines (.*)$/);
  const pids = list.split(',').map(Number);
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.filter(isAlive), pids);
  await server.stop('SIGKILL');
  await eventually('no process is left', () => pids.filter(isAlive).length === 0);
  assert.deepEqual(directoriesIn(folder), []);
});

test('directories that a server left are swept at the next start', async (t) => {
  const folder = temporaryFolder('sweep');
  t.after(() => removeFolder(folder));
  mkdirSync(join(folder, 'engine-old'));
  writeFileSync(join(folder, 'engine-old', 'spill'), 'x');
  await startPool(t, { tempDirectory: folder });
  assert.ok(!readdirSync(folder).includes('engine-old'));
});
