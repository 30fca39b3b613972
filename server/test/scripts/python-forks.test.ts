/** The Python that the scripts of a run share: each of them must find what it would find in an interpreter of its own. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/patience.ts';
import { type EndedScript, runInFork } from '../support/python/forked-script.ts';
import { PythonForks } from '../support/python/python-forks.ts';
import { runPython } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

let forks: PythonForks;
let folder: string;
before(async () => {
  forks = await PythonForks.start();
  folder = temporaryFolder('forks');
});
after(async () => {
  await forks[Symbol.asyncDispose]();
  removeFolder(folder);
});

async function run(script: string, input: unknown = null, timeoutMs = 900_000): Promise<EndedScript> {
  const ended = await runInFork(['-c', script], JSON.stringify(input), { timeoutMs, socket: forks.socket });
  assert.ok(ended);
  return ended;
}

test('a script reads its input, and what it writes and its exit code come back', async () => {
  const script = 'import sys; print(sys.stdin.read()); print("ä", file=sys.stderr); sys.exit(3)';
  assert.deepEqual(await run(script, 'é'), { code: 3, output: '"é"\n', errors: 'ä\n' });
});

test('an error is shown with its trace, and a signal as its number', async () => {
  const { code, errors } = await run('import json\njson.loads("{")');
  assert.equal(code, 1);
  assert.match(errors, /File "<script>", line 2[\s\S]*JSONDecodeError/);
  assert.equal((await run('import os; os.kill(os.getpid(), 9)')).code, -9);
});

test('nothing that a script does is there for the next: neither names, nor the folder, nor random numbers', async () => {
  const script = `import os, json, pyarrow, numpy, random
print(json.dumps([hasattr(pyarrow, 'changed'), os.getcwd(), os.environ.get('CHANGED'), numpy.random.rand(), random.random()]))
pyarrow.changed = True
os.environ['CHANGED'] = 'yes'
os.chdir('/')`;
  const first = JSON.parse((await run(script)).output) as unknown[];
  const second = JSON.parse((await run(script)).output) as unknown[];
  assert.deepEqual(first.slice(0, 3), [false, process.cwd(), null]);
  assert.deepEqual(second.slice(0, 3), [false, process.cwd(), null]);
  assert.notEqual(first[3], second[3]);
  assert.notEqual(first[4], second[4]);
});

test('a script has the environment of the test that runs it', async () => {
  process.env.FORKS_TEST = 'of this test';
  try {
    assert.equal((await run('import os; print(os.environ["FORKS_TEST"])')).output, 'of this test\n');
  } finally {
    delete process.env.FORKS_TEST;
  }
});

test('scripts run at the same time, with threads of pyarrow and pandas', async () => {
  const script = `import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq, io
table = pa.table({'n': pa.array(range(200_000), pa.int64())})
target = io.BytesIO()
pq.write_table(table, target, row_group_size=10_000)
target.seek(0)
print(pc.sum(pq.read_table(target, use_threads=True)['n']).as_py(), len(table.to_pandas()))`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => run(script)));
  for (const { code, output, errors } of answers)
    assert.deepEqual([code, output], [0, '19999900000 200000\n'], errors);
});

test('a script that takes too long is ended', async () => {
  const path = join(folder, 'pid');
  const script = `import os, sys, time, json
path = json.load(sys.stdin)
open(path, 'w').write(str(os.getpid()))
time.sleep(600)`;
  await assert.rejects(run(script, path, 2_000), /python has not ended within 2000 ms/);
  await eventually('it has begun', () => existsSync(path));
  const pid = readFileSync(path, 'utf8');
  await eventually('it is gone', () => !existsSync(`/proc/${pid}`));
});

test('without such a Python, a script has an interpreter of its own, and the same answers', async () => {
  const script =
    'import sys, json; print(json.dumps([json.load(sys.stdin), __name__, sys.argv, sys.path[0]]))';
  const own = await runPython(['-c', script, 'word'], 7);
  assert.deepEqual(own, [7, '__main__', ['-c', 'word'], '']);
  const ended = await runInFork(['-c', script, 'word'], '7', { timeoutMs: 900_000, socket: forks.socket });
  assert.deepEqual(JSON.parse(ended?.output ?? ''), own);
  await assert.rejects(
    runPython(['-c', 'raise ValueError("wrong")'], null),
    /python ended with 1:[\s\S]*wrong/,
  );
});
