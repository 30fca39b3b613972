import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LineWriter } from '../../src/telemetry/line-writer.ts';
import { assertTook } from '../support/machine-pace.ts';
import { eventually } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('lines');
const lostLine = (count: number) => `lost ${count}\n`;

function makePipe(name: string): string {
  const path = join(folder, name);
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
  return path;
}

/** Reads what is there, without waiting. */
function readAvailable(fd: number): string {
  const buffer = Buffer.alloc(1024 ** 2);
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}

test('when nobody reads, memory stays bounded; the lost lines are counted and reported', async () => {
  const fd = openSync(makePipe('full'), constants.O_RDWR | constants.O_NONBLOCK);
  const writer = new LineWriter(fd, { lostLine });
  const line = `${'x'.repeat(1023)}\n`;
  const count = 20_000;
  for (let index = 0; index < count; index++) {
    writer.write(line);
    if (index % 1_000 === 0) await new Promise(setImmediate);
  }
  assert.ok(writer.linesLost > 0 && writer.linesLost < count, `${writer.linesLost} lost`);

  let isClosed = false;
  const closed = writer.close().then(() => {
    isClosed = true;
  });
  let text = '';
  await eventually('everything is written', () => {
    text += readAvailable(fd);
    return isClosed;
  });
  await closed;
  text += readAvailable(fd);
  closeSync(fd);
  const lines = text.split('\n').slice(0, -1);
  const told = lines.filter((each) => each.startsWith('lost ')).map((each) => Number(each.slice(5)));
  const whole = lines.filter((each) => each.length === 1023);
  assert.equal(
    told.reduce((sum, each) => sum + each, 0),
    writer.linesLost,
  );
  assert.equal(whole.length + writer.linesLost, count);
  assert.equal(whole.length + told.length, lines.length);
});

test('a reader that goes away does no harm', async () => {
  const path = makePipe('gone');
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY);
  closeSync(reader);
  const writer = new LineWriter(fd, { lostLine });
  writer.write('a\n');
  await writer.flush();
  writer.write('b\n');
  assert.equal(writer.linesLost, 1);
  await writer.close();
  closeSync(fd);
});

test('a line does not wait long for others', async () => {
  const fd = openSync(makePipe('lone'), constants.O_RDWR | constants.O_NONBLOCK);
  const writer = new LineWriter(fd, { lostLine });
  const began = performance.now();
  writer.write('alone\n');
  let text = '';
  await eventually('the line', () => {
    text = readAvailable(fd);
    return text !== '';
  });
  assertTook(performance.now() - began, 5_000);
  assert.equal(text, 'alone\n');
  await writer.close();
  closeSync(fd);
});

for (const end of ['process.exit(0)', 'setTimeout(() => {}, 1)', 'throw new Error("x")']) {
  test(`lines are written when the process ends by ${end}`, () => {
    const module = JSON.stringify(new URL('../../src/telemetry/log.ts', import.meta.url).href);
    const script = `
      const { Log } = await import(${module});
      const log = new Log({ level: 'info', format: 'json' });
      for (let index = 0; index < 1000; index++) log.write('info', { event: 'x', index });
      ${end};`;
    let output: string;
    try {
      output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    const indexes = output
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { index: number }).index);
    assert.deepEqual(
      indexes.sort((a, b) => a - b),
      Array.from({ length: 1000 }, (_, index) => index),
    );
  });
}
