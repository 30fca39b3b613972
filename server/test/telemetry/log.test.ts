import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError } from '../../src/telemetry/describe-error.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { LogLevel, LogThreshold } from '../../src/telemetry/log-entry.ts';
import { linesOf } from './log-lines.ts';

const levels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

const shownAt: readonly (readonly [LogThreshold, number])[] = [
  ['trace', 6],
  ['debug', 5],
  ['info', 4],
  ['warn', 3],
  ['error', 2],
  ['fatal', 1],
  ['silent', 0],
];
for (const [level, count] of shownAt) {
  test(`at ${level} the ${count} most important levels are written`, async () => {
    const lines = await linesOf({ level, format: 'json' }, (log) => {
      for (const each of levels) log.write(each, { event: 'x' });
    });
    const written = lines.map((line) => (JSON.parse(line) as { level: string }).level);
    assert.deepEqual(written, levels.slice(levels.length - count));
  });
}

test('a JSON line has time, level, event and the fields, in this order', async () => {
  const [line = ''] = await linesOf({ level: 'info', format: 'json' }, (log) => {
    log.write('info', { event: 'put', name: 'a "quoted"\nname', rows: 3, version: null });
  });
  const parsed = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual(Object.keys(parsed), ['time', 'level', 'event', 'name', 'rows', 'version']);
  assert.equal(new Date(String(parsed.time)).toISOString(), parsed.time);
  assert.equal(parsed.name, 'a "quoted"\nname');
});

test('where several nodes share a catalog, every line names the one that wrote it', async () => {
  const write = (log: Log) => log.write('info', { event: 'put', name: 'f' });
  const [json = ''] = await linesOf({ level: 'info', format: 'json', node: 'a "b"' }, write);
  const parsed = JSON.parse(json) as Record<string, unknown>;
  assert.deepEqual(Object.keys(parsed), ['time', 'level', 'node', 'event', 'name']);
  assert.equal(parsed.node, 'a "b"');
  const [text = ''] = await linesOf({ level: 'info', format: 'text', node: 'a' }, write);
  assert.match(text, /put name=f node=a$/);
});

test('lines keep their order and none is missing', async () => {
  const count = 5_000;
  const lines = await linesOf({ level: 'info', format: 'json' }, (log) => {
    for (let index = 0; index < count; index++) log.write('info', { event: 'x', index });
  });
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { index: number }).index),
    Array.from({ length: count }, (_, index) => index),
  );
});

test('a text line is readable, and values cannot pretend to be other fields or lines', async () => {
  const [line = '', ...rest] = await linesOf({ level: 'info', format: 'text' }, (log) => {
    log.write('info', {
      event: 'put',
      name: 'trades',
      rows: 3,
      path: '/x y\nERROR z',
      note: 'a=b',
      gone: null,
    });
  });
  assert.match(
    line,
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}put name=trades rows=3 path="\/x y\\nERROR z" note="a=b" gone=null$/,
  );
  assert.deepEqual(rest, []);
});

test('in text, a stack follows on lines of its own', async () => {
  const [line = '', ...rest] = await linesOf({ level: 'info', format: 'text' }, (log) => {
    log.write('error', { event: 'x', error: describeError(new Error('it broke')) });
  });
  assert.match(line, /ERROR x error="it broke"$/);
  assert.ok(rest.length > 1);
  for (const each of rest) assert.match(each, /^ {4}/);
});

test('no character of a line commands a terminal or ends the line, and JSON still says what it was', async () => {
  const codes = [
    ...Array(0x20).keys(),
    ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
    0x2028,
    0x2029,
  ];
  const text = `é${String.fromCharCode(...codes)}漢😀`;
  for (const format of ['json', 'text'] as const) {
    const error = describeError(new Error(text));
    const lines = await linesOf({ level: 'info', format }, (log) => {
      log.write('error', { event: 'x', text, error });
    });
    // A stack in text has lines of its own, which are ours.
    if (format === 'json') assert.equal(lines.length, 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    for (const line of lines) assert.doesNotMatch(line, /[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
    assert.match(lines[0] ?? '', /é.*\\u007f\\u0080.*\\u009f.*\\u2028\\u2029漢😀/);
    if (format === 'json') assert.equal((JSON.parse(lines[0] ?? '') as { text: string }).text, text);
  }
});

test('an error is described with its code and its causes, up to a limit', () => {
  const loop: Error & { code?: string } = new Error('outer', { cause: new TypeError('inner') });
  loop.code = 'ENOSPC';
  const described = describeError(loop);
  assert.deepEqual(
    [described.name, described.message, described.code, described.cause?.name, described.cause?.message],
    ['Error', 'outer', 'ENOSPC', 'TypeError', 'inner'],
  );
  loop.cause = loop;
  assert.ok(JSON.stringify(describeError(loop)).length < 100_000);
  assert.equal(describeError('just text').message, 'just text');
  assert.ok(describeError(new Error('x'.repeat(1e6))).message.length < 10_000);
});
