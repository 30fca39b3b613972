import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../client/src/index.ts';
import { describe as describeDiff } from '../src/commands/diff.ts';
import { codesOf } from '../src/connection/explain-network.ts';
import { clockFinding } from '../src/doctor/examine-connection.ts';
import { exitCodeOf } from '../src/exit-codes.ts';
import { Interrupted } from '../src/interrupted.ts';
import { LocalError } from '../src/local-error.ts';
import { Progress, progressText } from '../src/output/progress.ts';
import { byteText, clockText } from '../src/output/readable-numbers.ts';
import { OutputClosed } from '../src/output/standard-output.ts';
import { describeFailure } from '../src/report-error.ts';
import { UsageError } from '../src/usage-error.ts';

const answer = (status: number, code: string, hint?: string) =>
  new FrameholdError({ status, code, title: '', detail: 'It is wrong.', hint });

test('progress has rate and time left', () => {
  assert.equal(progressText('a.csv', 25e6, 100e6, 5), 'a.csv  25 %  25.0 MB  5.0 MB/s  0:15 left');
  assert.equal(progressText('stdin', 1_500, undefined, 1), 'stdin  1.5 kB  1.5 kB/s');
  assert.equal(clockText(3_723), '1:02:03');
  assert.equal(byteText(999), '999 B');
  assert.equal(byteText(999_600), '1.0 MB');
});

test('progress is drawn on a terminal only, and removed', () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  let now = 0;
  const draw = (isTTY: boolean) => {
    now = 0;
    const progress = new Progress({ write: write as never, isTTY, columns: 80 }, 'x', 100, () => now);
    for (now = 0; now < 2_000; now += 50) progress.update(now / 20);
    progress.end();
  };
  draw(false);
  assert.deepEqual(written, []);
  draw(true);
  assert.ok(written.length > 3 && written.length < 12, `${written.length}`);
  assert.equal(written.at(-1), '\r\u001b[K');
});

test('exit codes say what kind of failure it is', () => {
  const codes = [
    new UsageError('x'),
    answer(404, 'frame_not_found'),
    answer(401, 'unauthenticated'),
    answer(0, 'network'),
    answer(503, 'overloaded'),
    answer(400, 'bad_body'),
    answer(403, 'sql_refused'),
    answer(412, 'frame_exists'),
    answer(500, 'internal'),
    new LocalError('x', 'y'),
    new Interrupted('SIGINT'),
    new OutputClosed(),
    new Error('bug'),
  ].map(exitCodeOf);
  assert.deepEqual(codes, [2, 3, 4, 5, 5, 6, 6, 7, 1, 8, 130, 141, 1]);
});

test('an error is what is wrong and what to do, without control characters', async () => {
  const context = { url: undefined, hasToken: false };
  assert.equal(
    await describeFailure(answer(409, 'x', 'Do \u001b[2Jthis.'), context),
    'framehold: It is wrong.\n  Do \\x1b[2Jthis.\n',
  );
  assert.match(await describeFailure(answer(401, 'unauthenticated'), context), /\n {2}Run framehold login/);
  assert.equal(await describeFailure(new Interrupted('SIGINT'), context), '');
});

test('codes of all causes are found, also of several addresses', () => {
  const refused = Object.assign(new Error(), { code: 'ECONNREFUSED' });
  const error = new FrameholdError({ ...answer(0, 'network'), cause: new AggregateError([refused]) });
  assert.deepEqual(codesOf(error), ['ECONNREFUSED']);
});

test('a clock that is off is found by the Date header', () => {
  const date = 'Tue, 17 Nov 2026 12:00:00 GMT';
  const now = Date.parse(date);
  assert.equal(clockFinding(date, now + 900).state, 'ok');
  assert.match(clockFinding(date, now + 60_000).detail, /60 s ahead of/);
  assert.match(clockFinding(date, now - 7_000).detail, /7 s behind/);
  assert.equal(clockFinding(null, now).state, 'skipped');
});

test('a difference in words', () => {
  const schema = { added: [{ name: 'b', type: 'INT' }], removed: [], changed: [], reordered: false };
  const rows = { kind: 'compared', onlyInFrom: 1, onlyInTo: 2, inBoth: 1_000 } as const;
  assert.equal(
    describeDiff('t', { from: 1, to: 2, schema, rows }),
    't@1 → t@2\n  column added: b INT\n  2 rows added, 1 row removed, 1,000 rows in both\n',
  );
});
