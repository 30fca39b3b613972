/** Files that do not end by themselves are ended by the runner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertTook } from '../support/machine-pace.ts';
import { runSeeded } from './seeded-run.ts';

const passes = `test('passes', () => {});`;

test('files that hang are ended within their limit, and the test that hangs, or what is open, is named', async () => {
  const fileLimitMs = 3_000;
  const began = performance.now();
  const { isGreen, text } = await runSeeded(
    {
      // Nothing in its own process can end this one within a minute.
      'spins.test.ts': `import { writeSync } from 'node:fs';
        writeSync(2, 'spins: ' + process.pid + '\\n');
        const until = Date.now() + 60_000; test('spins', () => { while (Date.now() < until); });`,
      'hangs.test.ts': `test('outer', async (t) => {
        await t.test('waits for nothing', () => new Promise((resolve) => setTimeout(resolve, 60_000)));
      });`,
      'open.test.ts': `import { createServer } from 'node:net';
        createServer().listen(0, '127.0.0.1'); setTimeout(() => process.exit(), 60_000); ${passes}`,
    },
    { fileLimitMs },
  );
  assertTook(performance.now() - began, 6 * fileLimitMs, 'a run whose files hang');
  assert.ok(!isGreen, text);
  const pid = Number(/^spins: (\d+)$/m.exec(text)?.[1]);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.match(text, /^spins\.test\.ts was ended after \d+ s of its own/m);
  assert.match(text, /^hangs\.test\.ts was ended after \d+ s of its own; still running: waits for nothing$/m);
  assert.match(text, /^open\.test\.ts was ended after \d+ s of its own; still running: no test/m);
  assert.match(text, /^open when it was ended: .*TCPServerWrap/m);
});

test('a program that a file has left behind, and that holds its output, does not hold the run up', async () => {
  const began = performance.now();
  const { isGreen, text } = await runSeeded(
    {
      'leaves.test.ts': `import { spawn } from 'node:child_process';
        spawn('sleep', ['30'], { stdio: 'inherit' }).unref(); ${passes}`,
    },
    { fileLimitMs: 1_000 },
  );
  assertTook(performance.now() - began, 15_000, 'a run whose file left a program behind');
  assert.ok(!isGreen, text);
  assert.match(text, /^leaves\.test\.ts was ended after/m);
});
