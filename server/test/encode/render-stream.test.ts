import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { MessageReader } from '../../src/arrow/ipc/message-reader.ts';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { mcpOptions } from '../../src/encode/mcp.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Reading } from '../../src/ports/reading.ts';
import {
  type IpcMessage,
  type RowFormat,
  rowFormats,
  type StreamedRows,
  type StreamOptions,
} from '../../src/ports/renderer.ts';
import { asyncSource } from '../arrow/stream-bytes.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { readArrow } from '../support/python.ts';
import { collect, readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
});
after(() => renderer.close());

const never = new AbortController().signal;

/** Also what a listener needs, which is written by the same renderer. */
const shapes = [...rowFormats, 'mcp'] as const;
type Shape = (typeof shapes)[number];

function optionsFor(format: Shape, limit?: number): StreamOptions {
  const limited = limit === undefined ? {} : { limit };
  if (format !== 'mcp') return { format, query: 'select', quoteLargeNumbers: false, ...limited };
  const limits = { rowsMax: limit ?? 1_000_000_000, bytesMax: 1_000_000_000 };
  return mcpOptions({ columns: [], sources: ['a@1'] }, limits);
}

/** The messages of a file as a statement would give them. */
function streamOf(reading: Reading, messages = renderer.messages(reading, never)): StreamedRows {
  const { message, columns } = reading.record.schema;
  return { schemaMessage: message, markedSchemaMessage: message, columns, messages };
}

/** A frame of 4 million rows: far more than any buffer holds. */
function longReading(): Reading {
  return readingOf(new Array<string>(20).fill(frames.path('long')));
}

async function* counted(messages: AsyncIterable<IpcMessage>, count: { taken: number; over: boolean }) {
  try {
    for await (const message of messages) {
      count.taken++;
      yield message;
    }
  } finally {
    count.over = true;
  }
}

async function* failingAfter(messages: AsyncIterable<IpcMessage>, good: number, fault: Error) {
  let given = 0;
  for await (const message of messages) {
    if (given++ === good) throw fault;
    yield message;
  }
}

test('a stream gives the same bytes as a held frame with the same batches, for every type', async () => {
  assert.ok(frames.names.length > 70);
  for (const name of [...frames.names, 'pieces', 'pieces-zstd'])
    for (const format of shapes) {
      const reading = readingOf([frames.path(name)]);
      const held = await outcome(renderer.render(reading, optionsFor(format), never));
      const streamed = await outcome(renderer.renderStream(streamOf(reading), optionsFor(format), never));
      if (Buffer.isBuffer(held))
        assert.ok(Buffer.isBuffer(streamed) && held.equals(streamed), `${name} as ${format}`);
      else assert.deepEqual(streamed, held, `${name} as ${format}`);
    }
});

async function outcome(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | string> {
  try {
    return await collect(chunks);
  } catch (thrown) {
    return thrown instanceof FrameholdError ? thrown.kind : String(thrown);
  }
}

test('a limit gives the first rows, in every format, also inside a batch', async () => {
  const whole = readingOf([frames.path('changing-dictionaries')]);
  const limited = (format: RowFormat, limit: number) =>
    collect(renderer.renderStream(streamOf(whole), optionsFor(format, limit), never));
  for (const limit of [0, 1, 4, 7, 100]) {
    const rowCount = Math.min(limit, whole.rowCount);
    const held = (format: RowFormat) =>
      collect(renderer.render({ ...whole, rowCount }, optionsFor(format), never));
    for (const format of ['json', 'csv', 'ndjson'] as const)
      assert.equal((await limited(format, limit)).toString(), (await held(format)).toString(), format);
    const again = streamOf(whole, messagesOf(await limited('arrow', limit)));
    const text = await collect(renderer.renderStream(again, optionsFor('json'), never));
    assert.equal(text.toString(), (await held('json')).toString(), `arrow ${limit}`);
    assert.equal((await readArrow(await limited('parquet', limit), 'parquet')).rows, rowCount);
  }
});

/** What a client reads out of an Arrow answer. */
async function* messagesOf(stream: Uint8Array): AsyncGenerator<IpcMessage, void, void> {
  const reader = new MessageReader(asyncSource(stream));
  await reader.next();
  for (let message = await reader.next(); message !== null; message = await reader.next()) yield message;
}

test('a limit does not ask for rows that nobody gets', async () => {
  for (const format of shapes) {
    const count = { taken: 0, over: false };
    const reading = longReading();
    const messages = counted(renderer.messages(reading, never), count);
    await collect(renderer.renderStream(streamOf(reading, messages), optionsFor(format, 10), never));
    await eventually('the source is done with', () => count.over);
    assert.ok(count.taken <= 4 && count.over, `${format}: ${count.taken} batches`);
  }
});

test('a reader that leaves after the first bytes lets go of the source', async () => {
  for (const format of shapes) {
    const count = { taken: 0, over: false };
    const messages = counted(renderer.messages(longReading(), never), count);
    const chunks = renderer.renderStream(streamOf(longReading(), messages), optionsFor(format), never);
    await chunks.next();
    await chunks.return();
    await eventually(`${format}: the source is done with`, () => count.taken === 0 || count.over);
  }
});

for (const format of shapes) {
  test(`${format}: a stream that fails is an error, never a body that looks whole`, async () => {
    const reading = longReading();
    const fault = new FrameholdError('sql_failed', 'Could not convert string to INT32.', { hint: 'no' });
    for (const good of [0, 3, 30]) {
      const messages = failingAfter(renderer.messages(reading, never), good, fault);
      const parts: Uint8Array[] = [];
      await assert.rejects(
        async () => {
          for await (const chunk of renderer.renderStream(
            streamOf(reading, messages),
            optionsFor(format),
            never,
          ))
            parts.push(chunk);
        },
        (thrown) => thrown === fault,
      );
      if (good === 0) assert.deepEqual(parts, [], 'an early failure can still be reported');
      const body = Buffer.concat(parts);
      const tail = body.subarray(-8).toString('latin1');
      if (format === 'json' || format === 'mcp') assert.throws(() => JSON.parse(body.toString()));
      if (format === 'arrow') assert.notEqual(tail, '\xff\xff\xff\xff\0\0\0\0');
      if (format === 'parquet' && good > 0) assert.ok(!tail.endsWith('PAR1') || body.length === 4);
    }
  });

  test(`${format}: a slow reader holds the statement back`, async () => {
    const count = { taken: 0, over: false };
    const reading = longReading();
    let batchCount = 0;
    for await (const _ of renderer.messages(reading, never)) batchCount++;
    const messages = counted(renderer.messages(reading, never), count);
    const chunks = renderer
      .renderStream(streamOf(reading, messages), optionsFor(format), never)
      [Symbol.asyncIterator]();
    await chunks.next();
    // Parquet is made a row group at a time: it takes a while until nothing moves any more.
    for (let before = -1; before !== count.taken; await timePasses(250, 'that nothing moves is no event'))
      before = count.taken;
    assert.ok(count.taken < batchCount, `${count.taken} of ${batchCount} batches were taken`);
    await chunks.return?.();
    await eventually('the source is done with', () => count.over);
    assert.ok(count.over, 'the messages are let go');
  });

  test(`${format}: an abort ends the stream with an error`, async () => {
    const abort = new AbortController();
    const reading = longReading();
    let chunks = 0;
    await assert.rejects(
      async () => {
        for await (const _ of renderer.renderStream(streamOf(reading), optionsFor(format), abort.signal))
          if (++chunks === 1) abort.abort(new FrameholdError('cancelled', 'gone'));
      },
      { kind: 'cancelled' },
    );
  });
}

test('bodies are copied for the worker: their memory may be used again at once', async () => {
  const reading = readingOf([frames.path('everything')]);
  const body = new Uint8Array(16 * 1024 * 1024);
  async function* reused() {
    for await (const message of renderer.messages(reading, never)) {
      await message.readBody(body.subarray(0, message.bodyBytes));
      const own = body.subarray(0, message.bodyBytes);
      yield { ...message, readBody: async (target: Uint8Array) => target.set(own), peekBody: () => own };
      body.fill(0xff);
    }
  }
  const held = await collect(renderer.render(reading, optionsFor('json'), never));
  const streamed = await collect(
    renderer.renderStream(streamOf(reading, reused()), optionsFor('json'), never),
  );
  assert.ok(held.equals(streamed));
});

test('a statement without rows gives the columns and no rows', async () => {
  const reading = readingOf([frames.path('one-bool')]);
  async function* nothing(): AsyncGenerator<IpcMessage, void, void> {}
  const text = async (format: RowFormat) =>
    (await collect(renderer.renderStream(streamOf(reading, nothing()), optionsFor(format), never))).toString(
      'latin1',
    );
  assert.deepEqual(JSON.parse(await text('json')).count, 0);
  assert.equal(await text('ndjson'), '');
  assert.equal((await text('csv')).split('\r\n').length, 2);
  assert.ok((await text('arrow')).endsWith('\xff\xff\xff\xff\0\0\0\0'));
  assert.match(await text('parquet'), /^PAR1.*PAR1$/s);
});

test('small results of plain columns need no other thread; large ones, and those that may grow, have one', async () => {
  const closed = new WorkerRenderer(renderPools({ threads: 1 }));
  await closed.close();
  const text = (reading: Reading, shape: Shape = 'json') =>
    collect(closed.renderStream(streamOf(reading), optionsFor(shape), never)).then(String);
  for (const name of ['one-bool', 'one-utf8', 'odd-names']) {
    const reading = readingOf([frames.path(name)]);
    const held = await collect(renderer.render(reading, optionsFor('json'), never));
    assert.equal(await text(reading), held.toString(), name);
    const { rowCount } = JSON.parse(await text(reading, 'mcp')) as { rowCount: number };
    assert.equal(rowCount, reading.rowCount, name);
  }
  for (const reading of [
    longReading(),
    ...['pieces-zstd', 'changing-dictionaries', 'one-utf8_view'].map((name) =>
      readingOf([frames.path(name)]),
    ),
  ])
    await assert.rejects(text(reading));
});

test('a whole Arrow stream is the file that was put', async () => {
  const path = frames.path('pieces-zstd');
  const streamed = await collect(
    renderer.renderStream(streamOf(readingOf([path])), optionsFor('arrow'), never),
  );
  assert.ok(streamed.equals(readFileSync(path)));
});
