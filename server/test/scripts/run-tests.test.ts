/** The runner is given test files with faults of every kind. It must not call one of them green. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRace } from '../../../scripts/known-races.ts';
import { runSeeded } from './seeded-run.ts';

const passes = `test('passes', () => {});`;
/** Fails the first time, then passes. */
const races = `import { existsSync, writeFileSync } from 'node:fs';
  const isFirst = !existsSync('seen');
  writeFileSync('seen', '');
  test('races', () => { if (isFirst) throw new Error('lost'); });`;
const race: KnownRace = {
  file: 'races.test.ts',
  title: 'races',
  since: '2026-01-01',
  cause: 'it was made so',
};

test('a run in which every test passes is green, and tells what node tells, the stolen time and the slowest files', async () => {
  const { isGreen, text } = await runSeeded({ 'passes.test.ts': passes, 'deeper/also.test.ts': passes });
  assert.ok(isGreen, text);
  assert.match(text, /^ℹ tests 2$/m);
  assert.match(text, /^ℹ pass 2$/m);
  assert.match(text, /^ℹ fail 0$/m);
  assert.match(text, /^the host gave \d+ % of the CPU time to other machines$/m);
  assert.match(text, /^slowest of 2 files, which took \d+ s one by one, and \d+ s of CPU time:$/m);
  assert.match(text, /^ +\d+ s +\d+ s CPU {2}deeper\/also\.test\.ts$/m);
});

test('only the ten slowest files are listed', async () => {
  const names = Array.from({ length: 11 }, (_, at) => `file-${at}.test.ts`);
  const { text } = await runSeeded(Object.fromEntries(names.map((name) => [name, passes])));
  assert.equal(text.match(/^ +\d+ s +\d+ s CPU {2}file-\d+\.test\.ts$/gm)?.length, 10, text);
});

test('a failing test is red, and nothing is repeated', async () => {
  const { isGreen, text } = await runSeeded({
    'passes.test.ts': passes,
    'fails.test.ts': `test('fails', () => { throw new Error('wrong'); });`,
  });
  assert.ok(!isGreen, text);
  assert.match(text, /^=== not every test has passed:\nfails\.test\.ts: fails$/m);
  assert.doesNotMatch(text, /once more/);
});

test('a test that fails only the first time is red, and green if it is a known race', async () => {
  const unknown = await runSeeded({ 'races.test.ts': races });
  assert.ok(!unknown.isGreen, unknown.text);
  assert.doesNotMatch(unknown.text, /once more/);
  const known = await runSeeded({ 'races.test.ts': races, 'passes.test.ts': passes }, { knownRaces: [race] });
  assert.ok(known.isGreen, known.text);
  assert.match(known.text, /^=== passed only when they were run once more:\nraces\.test\.ts: races$/m);
});

test('a known race beside another failure is red, and not repeated', async () => {
  const files = {
    'races.test.ts': races,
    'fails.test.ts': `test('fails', () => { throw new Error('wrong'); });`,
  };
  const { isGreen, text } = await runSeeded(files, { knownRaces: [race] });
  assert.ok(!isGreen, text);
  assert.doesNotMatch(text, /once more/);
});

test('a known race that fails otherwise when it is repeated is red', async () => {
  const other = `test('another', () => { if (!isFirst) throw new Error('wrong'); });`;
  const { isGreen, text } = await runSeeded(
    { 'races.test.ts': `${races}\n${other}` },
    { knownRaces: [race] },
  );
  assert.ok(!isGreen, text);
  assert.match(text, /^=== not every test has passed:\nraces\.test\.ts: another$/m);
});

test('a file for which there is no time left has failed, with the reason', async () => {
  const { isGreen, text } = await runSeeded({ 'late.test.ts': passes }, { endBy: Date.now() - 1 });
  assert.ok(!isGreen, text);
  assert.match(text, /^ℹ fail 1$/m);
  assert.match(text, /not run: the time of the whole run \(TEST_END_BY\) is over/);
  assert.match(text, /^late\.test\.ts: the file is run$/m);
});

test('a file that runs when the time is over is ended, with the reason', async () => {
  const hangs = `test('waits for nothing', () => new Promise((resolve) => setTimeout(resolve, 60_000)));`;
  const { isGreen, text } = await runSeeded({ 'hangs.test.ts': hangs }, { endBy: Date.now() + 3_000 });
  assert.ok(!isGreen, text);
  assert.match(
    text,
    /^hangs\.test\.ts was ended .* \(TEST_END_BY\) is over; still running: waits for nothing$/m,
  );
});

test('a file that reports no test is red: an empty one, one that exits, one that cannot be loaded', async () => {
  const files = {
    'empty.test.ts': '',
    'exits.test.ts': `${passes}\ntest('exits', () => process.exit(0));`,
    'broken.test.ts': `import './nowhere.ts';`,
    'passes.test.ts': passes,
  };
  const { isGreen, text } = await runSeeded(files);
  assert.ok(!isGreen, text);
  for (const name of ['empty', 'exits', 'broken'])
    assert.match(text, new RegExp(`^${name}\\.test\\.ts has ended without reporting a test$`, 'm'));
  assert.doesNotMatch(text, /^passes\.test\.ts has ended/m);
});

test('a run in which every test is skipped is red', async () => {
  const { isGreen, text } = await runSeeded({ 'skipped.test.ts': `test.skip('later', () => {});` });
  assert.ok(!isGreen, text);
  assert.match(text, /^no test was run$/m);
});

test('a file that fails after its tests have passed is red', async () => {
  const { isGreen, text } = await runSeeded({
    'late.test.ts': `${passes}\nprocess.on('exit', () => { process.exitCode = 3; });`,
  });
  assert.ok(!isGreen, text);
  assert.match(text, /^late\.test\.ts: its process$/m);
});

test('a test to be done later that fails is red', async () => {
  const { isGreen, text } = await runSeeded({
    'todo.test.ts': `${passes}\ntest.todo('later', () => { throw new Error('wrong'); });`,
  });
  assert.ok(!isGreen, text);
});
