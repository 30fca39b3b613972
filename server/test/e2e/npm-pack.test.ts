import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { flightPython } from '../parts/flight-python.ts';
import { exec, getText, putFrame } from '../parts/frame-client.ts';
import { Framehold, runFramehold } from '../parts/framehold-process.ts';
import { arrowBytes } from '../parts/python.ts';
import { repositoryRoot, serverFolder } from '../parts/repository.ts';
import { removeFolder, temporaryFolder } from '../parts/temporary-folder.ts';

const run = promisify(execFile);
/** Fetching and unpacking DuckDB's 60 MB where npm's cache is cold. */
const installTimeoutMs = 300_000;
const folder = temporaryFolder('pack');
const command = join(folder, 'node_modules', '.bin', 'framehold');

before(async () => {
  await run(process.execPath, [join(repositoryRoot, 'scripts', 'build-server.ts')], { cwd: serverFolder });
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: serverFolder });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  await run(
    'npm',
    [
      'install',
      '--silent',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `./${tarball}`,
    ],
    {
      cwd: folder,
      timeout: installTimeoutMs,
    },
  );
});
after(() => removeFolder(folder));

test('framehold installed from npm pack into an empty folder starts and answers', async (t) => {
  const framehold = await Framehold.start({ command: [command] });
  t.after(async () => await framehold.remove());
  assert.equal((await getText(`${framehold.url}/ping`)).text, 'ok');
  const { frame } = await arrowBytes({ frame: `pa.table({'n': pa.array([1, 2], pa.int64())})` });
  await putFrame(framehold.url, 'frame', frame);
  assert.deepEqual(JSON.parse((await exec(framehold.url, { handle: 'frame', fmt: 'json' })).text).dataset, [
    [1],
    [2],
  ]);
  assert.deepEqual(await flightPython(framehold.grpcUrl, `result = get('frame')['n'].to_pylist()`), [1, 2]);
  // Workers are modules of their own, found only when they are needed.
  const csv = await fetch(`${framehold.url}/v1/frames/csv`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'a\n1\n',
  });
  assert.equal(csv.status, 201, await csv.text());
  const parquet = await fetch(`${framehold.url}/exp?handle=csv&fmt=parquet`);
  assert.equal(
    Buffer.from(await parquet.arrayBuffer())
      .subarray(0, 4)
      .toString(),
    'PAR1',
  );
});

test('the installed command knows its version', async () => {
  const { output } = await runFramehold(['version'], { command: [command] });
  assert.match(output, /^framehold \d+\.\d+\.\d+/);
});

test('the package has its licence and its README, and no source or test', () => {
  const installed = join(folder, 'node_modules', 'framehold');
  for (const file of ['LICENSE', 'README.md', 'dist/main.js'])
    assert.ok(existsSync(join(installed, file)), file);
  assert.ok(!existsSync(join(installed, 'src')) && !existsSync(join(installed, 'test')));
});
