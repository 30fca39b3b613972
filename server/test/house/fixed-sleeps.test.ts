import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SourceFile, sourceFiles } from './source-files.ts';

/**
 * A test that sleeps for something to happen fails on a slow machine and wastes time on a fast one. It waits with `eventually`
 * (support/patience.ts); where time itself is the subject, with `timePasses` and the reason (support/passing-time.ts). A timer of its own
 * may only end a wait: then it has a name and is cleared.
 */
const files = ['server/test', 'engines/*/test', 'e2e', 'client/test', 'cli/test', 'console/test'].flatMap(
  sourceFiles,
);

/** With what their timers are for. */
const allowed: Readonly<Record<string, string>> = {
  'server/test/support/patience.ts': 'the waiting itself',
  'server/test/support/passing-time.ts': 'the time that passes',
  'server/test/support/browser.ts': 'a browser does not tell when it has given up its connections',
  'server/test/telemetry/line-writer.test.ts':
    'in a program that is started, as one of the ways in which it ends',
  'server/test/command-line/command.test.ts': 'in a program that is started, which stays until it is stopped',
  'server/test/scripts/run-tests.test.ts': 'in a seeded file that hangs',
  'server/test/scripts/running-files.test.ts': 'in seeded files that hang',
  'server/test/house/fixed-sleeps.test.ts': 'the patterns below, and their examples',
};

const imports =
  /^import \{[^}]*\b(?:setTimeout|setInterval|scheduler)\b[^}]*\} from '(?:node:)?timers(?:\/promises)?';$/gm;
const otherSleeps = /\b(?:scheduler\.wait|waitForTimeout)\(/g;
const timers = /(=\s*)?\bsetTimeout\(/g;

/** What a file does that is a sleep of its own. */
function sleepsOf({ text }: SourceFile): string[] {
  const isCleared = text.includes('clearTimeout(');
  const ownTimers = [...text.matchAll(timers)].filter(([, name]) => name === undefined || !isCleared);
  return [...text.matchAll(imports), ...text.matchAll(otherSleeps), ...ownTimers].map(([found]) => found);
}

test('no test sleeps, but for the time that it is about', () => {
  const sleeping = files
    .filter(({ path }) => !(path in allowed))
    .flatMap((file) => sleepsOf(file).map((each) => `${file.path}: ${each}`));
  assert.deepEqual(sleeping, []);
});

test('every file that may have a timer has one', () => {
  const timed = new Set(files.filter((file) => sleepsOf(file).length > 0).map(({ path }) => path));
  assert.deepEqual(
    Object.keys(allowed).filter((path) => !timed.has(path)),
    [],
  );
});

for (const [what, text, count] of [
  ['a promise of a timer', 'await new Promise((resolve) => setTimeout(resolve, 300));', 1],
  ['a promise of a module', "import { setTimeout as sleep } from 'node:timers/promises';", 1],
  ['something that is done later', 'setTimeout(() => abort.abort(), 300);', 1],
  ['a timer with a name that is not cleared', 'const timer = setTimeout(resolve, 300);', 1],
  ['a wait of a page', 'await page.waitForTimeout(300);', 1],
  ['a limit', 'const timer = setTimeout(fail, 300);\nclearTimeout(timer);', 0],
  ['a turn', "import { setImmediate as turn } from 'node:timers/promises';", 0],
] as const)
  test(`${what} is ${count === 0 ? 'no' : 'a'} sleep`, () => {
    assert.equal(sleepsOf({ path: 'x.test.ts', text }).length, count);
  });
