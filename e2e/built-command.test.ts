/** What the bundle does that the sources do not: it keeps compiled code, and its stack traces name the sources. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Child } from '../server/test/support/child-process.ts';
import { builtCommand, Framehold } from '../server/test/support/framehold-process.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder('built');
});
afterEach(() => removeFolder(home));

/** Runs a server until it is ready and stops it, with a cache folder of its own. */
async function startAndStop(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const server = await Framehold.start({
    home,
    command: ['/usr/bin/env', '-u', 'NODE_COMPILE_CACHE', ...builtCommand],
    env,
  });
  await server.stop();
}

const cacheFolder = () => join(home, '.cache', 'framehold', 'compiled');

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

test("compiled code is kept in the user's cache folder", async () => {
  await startAndStop();
  assert.ok(filesIn(cacheFolder()).length > 10);
});

test('another folder can be named', async () => {
  const other = join(home, 'elsewhere');
  await startAndStop({ XDG_CACHE_HOME: other });
  assert.ok(filesIn(join(other, 'framehold', 'compiled')).length > 10);
});

test('a folder that others can write to is not used', async () => {
  mkdirSync(cacheFolder(), { recursive: true });
  chmodSync(cacheFolder(), 0o777);
  await startAndStop();
  assert.deepEqual(filesIn(cacheFolder()), []);
});

test('without a folder that can be made, the server starts all the same', async () => {
  writeFileSync(join(home, '.cache'), 'a file');
  await startAndStop();
  assert.equal(readFileSync(join(home, '.cache'), 'utf8'), 'a file');
  // Where Node tries for ever to make a folder and those above it.
  await startAndStop({ XDG_CACHE_HOME: '/proc/none' });
});

test('a home that is not there is not made', async () => {
  const nowhere = join(home, 'nowhere');
  await startAndStop({ HOME: nowhere });
  assert.ok(!existsSync(nowhere));
});

test('the trace of a fault names lines of the sources', async () => {
  const faulty = join(home, 'faulty.mjs');
  writeFileSync(
    faulty,
    "import net from 'node:net';\nnet.Server.prototype.listen = () => { throw new TypeError('seeded'); };\n",
  );
  const [command, ...args] = builtCommand;
  const child = new Child({
    command,
    args: [`--import=${faulty}`, ...args, 'server', '--data-dir', join(home, 'data')],
    env: { HOME: home },
    cwd: home,
  });
  await child.line(/^framehold: TypeError: seeded$/);
  const [, line] = await child.line(/at async compose \(server\/src\/compose\/server\.ts:(\d+):\d+\)/);
  assert.ok(Number(line) > 10);
});
