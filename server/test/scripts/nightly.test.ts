/** The nightly run, with parts that take no time. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeptResults } from '../../../scripts/nightly/kept-results.ts';
import { nightlyParts, type Part } from '../../../scripts/nightly/parts.ts';
import { hasPassed, nightlyPage, textTable } from '../../../scripts/nightly/result-table.ts';
import { type Night, type PartState, runParts } from '../../../scripts/nightly/run-parts.ts';
import { eventually } from '../support/patience.ts';
import { repositoryRoot } from '../support/repository.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

/** Each part notes that it has begun. */
function part(name: string, script: string, more: Partial<Part> = {}): Part {
  const program = `require('fs').appendFileSync('begun', '${name} '); ${script}`;
  return {
    name,
    command: [process.execPath, '-e', program],
    environment: {},
    minutes: 1,
    limitMs: 60_000,
    isPreparation: false,
    ...more,
  };
}

const prepares = part('prepares', '', { isPreparation: true });
const passes = part('passes', "console.log('ℹ pass 7\\nℹ fail 0\\nℹ cancelled 0\\nℹ skipped 2');");
const fails = part('fails', "console.log('wrong'); process.exitCode = 3;");
const waits = part('waits', 'setInterval(() => {}, 1_000);');

class Place implements Disposable {
  readonly root = temporaryFolder('nightly');
  readonly kept = new KeptResults(join(this.root, 'kept'));

  async run(parts: readonly Part[], night: Partial<Night> = {}): Promise<PartState[]> {
    return await runParts(parts, {
      root: this.root,
      kept: this.kept,
      commit: 'one',
      again: false,
      ofAnyCommit: false,
      interrupted: new AbortController().signal,
      print: () => {},
      ...night,
    });
  }

  /** The parts that have begun, in their order. */
  begun(): string {
    const path = join(this.root, 'begun');
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  }

  [Symbol.dispose](): void {
    removeFolder(this.root);
  }
}

const outcomes = (states: readonly PartState[]) => states.map(({ result }) => result?.isPassed ?? null);

test('every part runs, also after one that failed, and one failure is enough', async () => {
  using place = new Place();
  const states = await place.run([prepares, fails, passes]);
  assert.equal(place.begun(), 'prepares fails passes');
  assert.deepEqual(outcomes(states), [true, false, true]);
  assert.equal(hasPassed(states), false);
  assert.equal(hasPassed(await place.run([prepares, passes])), true);
  assert.equal(readFileSync(place.kept.logOf('fails'), 'utf8'), 'wrong\n');
  assert.deepEqual(states[2]?.result?.tests, { passed: 7, failed: 0, skipped: 2 });
  assert.equal(states[1]?.result?.tests, null);
});

test('a run that was interrupted goes on where it stopped', async () => {
  using place = new Place();
  const interrupted = new AbortController();
  const run = place.run([prepares, fails, waits, passes], { interrupted: interrupted.signal });
  await eventually('the part that waits begins', () => place.begun().endsWith('waits'));
  interrupted.abort();
  const states = await run;
  assert.deepEqual(outcomes(states), [true, false, null, null]);
  assert.equal(hasPassed(states), false);
  // What it uses is prepared once more; what has a result, good or bad, does not run again.
  const rest = await place.run([prepares, fails, part('waits', ''), passes]);
  assert.deepEqual(outcomes(rest), [true, false, true, true]);
  assert.equal(place.begun(), 'prepares fails waits prepares waits passes');
  // Nothing is left, and nothing is prepared.
  await place.run([prepares, fails, waits, passes]);
  assert.equal(place.begun(), 'prepares fails waits prepares waits passes');
});

test('results of another commit, or of a changed working tree, count only if they are asked for', async () => {
  using place = new Place();
  await place.run([passes]);
  await place.run([passes], { commit: 'two', ofAnyCommit: true });
  assert.equal(place.begun(), 'passes');
  await place.run([passes], { commit: 'two' });
  assert.equal(place.begun(), 'passes passes');
  await place.run([passes], { commit: null });
  await place.run([passes], { commit: null });
  assert.equal(place.begun(), 'passes passes passes passes');
});

test('a part that has a result runs again if it is asked for', async () => {
  using place = new Place();
  await place.run([passes]);
  await place.run([passes], { again: true });
  assert.equal(place.begun(), 'passes passes');
});

test('a part that hangs is ended, and has failed; so has one that cannot be started', async () => {
  using place = new Place();
  const missing = part('missing', '', { command: [join(place.root, 'nowhere')] });
  const states = await place.run([{ ...waits, limitMs: 500 }, missing, passes]);
  assert.deepEqual(outcomes(states), [false, false, true]);
  assert.match(readFileSync(place.kept.logOf('missing'), 'utf8'), /ENOENT/);
});

test('what a part has left behind is ended', async () => {
  using place = new Place();
  const leaves = part(
    'leaves',
    `const child = require('child_process').spawn('sleep', ['60'], { stdio: 'ignore' });
     require('fs').writeFileSync('pid', String(child.pid)); child.unref();`,
  );
  assert.deepEqual(outcomes(await place.run([leaves])), [true]);
  const state = `/proc/${readFileSync(join(place.root, 'pid'), 'utf8')}/stat`;
  await eventually('it is gone, or waits for its parent', () => {
    return !existsSync(state) || readFileSync(state, 'utf8').includes(') Z ');
  });
  assert.ok(!existsSync(state) || readFileSync(state, 'utf8').includes(') Z '));
});

test('the table has a row for each part, and the page keeps its findings', async () => {
  using place = new Place();
  const states = [...(await place.run([fails, passes])), { part: waits, result: null }];
  const [heads, ...rows] = textTable(states).split('\n');
  assert.match(heads ?? '', /^part +result +time +passed +failed +skipped +commit +day$/);
  assert.match(rows[0] ?? '', /^fails +failed +\d+ s +one +[-\d]+$/);
  assert.match(rows[1] ?? '', /^passes +passed +\d+ s +7 +0 +2 +one +[-\d]+$/);
  assert.match(rows[2] ?? '', /^waits +not run$/);
  const first = nightlyPage(states, 'a machine', null);
  assert.match(first, /^\| passes \| passed \| \d+ s \| 7 \| 0 \| 2 \| one \| \d{4}-\d\d-\d\d \|$/m);
  assert.match(first, /\n## Findings\n\nNone\.\n$/);
  const findings = '## Findings\n\n- fuzz-arrow: case 7 | of seed 1.\n\n### More\n\nText.\n';
  const second = nightlyPage(states, 'a machine', first.replace(/## Findings[\s\S]*$/, findings));
  assert.ok(second.endsWith(`\n\n${findings}`), second);
  assert.equal(nightlyPage(states, 'a machine', second), second);
  const notRun = states.map((state) => ({ ...state, result: null }));
  assert.equal(
    nightlyPage(notRun, 'a machine', second),
    second,
    'what was found before stays until there is a newer result',
  );
  assert.match(nightlyPage(notRun, 'a machine', null), /^\| passes \| not run \|/m);
});

test('there is a part for each fuzzer of package.json, and one for each suite that is too long', () => {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const parts = nightlyParts(repositoryRoot);
  const fuzzers = Object.keys(scripts).filter((name) => name.startsWith('fuzz:'));
  assert.ok(fuzzers.length >= 10);
  const names = parts.map(({ name }) => name);
  const suites = ['setup', 'build', 'long', 'faults', 'differential', 'nodes-versitygw', 'nodes-minio'];
  suites.push('spark', 'superset', 'bench');
  assert.deepEqual([...names].sort(), [...suites, ...fuzzers.map((name) => name.replace(':', '-'))].sort());
  for (const { name, command } of parts)
    if (command[0] === 'npm') assert.ok(Object.hasOwn(scripts, command.at(-1) ?? ''), name);
});
