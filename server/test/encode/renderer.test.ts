import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { endOfStream, frameHeader } from '../../src/arrow/ipc/framing.ts';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Reading } from '../../src/ports/reading.ts';
import { type RowFormat, rowFormats } from '../../src/ports/renderer.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
});
after(() => renderer.close());

const never = new AbortController().signal;

function render(reading: Reading, format: RowFormat, signal = never): AsyncGenerator<Uint8Array, void, void> {
  return renderer.render(reading, { format, query: '', quoteLargeNumbers: false }, signal);
}

/** A frame of 4 million rows: far more than any buffer holds. */
function longReading(columns?: readonly number[]): Reading {
  const paths = new Array<string>(20).fill(frames.path('long'));
  return readingOf(paths, columns === undefined ? {} : { columns });
}

/** Files of the samples that this process has open, in any of its threads. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(frames.folder);
    } catch {
      return false;
    }
  }).length;
}

async function untilClosed(): Promise<void> {
  await eventually('the files are closed', () => openFiles() === 0);
  assert.equal(openFiles(), 0);
}

test('messages of a whole frame are those of the file', async () => {
  const parts: Uint8Array[] = [];
  const reading = readingOf([frames.path('pieces-zstd')]);
  parts.push(frameHeader(await renderer.schemaMessage(reading)));
  for await (const { header, bodyBytes, readBody } of renderer.messages(reading, never)) {
    // A listener's frame is longer than the body.
    const target = new Uint8Array(bodyBytes + 5).fill(7);
    await readBody(target);
    assert.deepEqual([...target.subarray(bodyBytes)], [7, 7, 7, 7, 7]);
    parts.push(frameHeader(header), target.subarray(0, bodyBytes));
  }
  parts.push(endOfStream);
  assert.ok(Buffer.concat(parts).equals(readFileSync(frames.path('pieces-zstd'))));
});

test('messages of chosen rows give their bodies too', async () => {
  let count = 0;
  const reading = readingOf([frames.path('pieces')], { offset: 2, rowCount: 4, columns: [4] });
  for await (const { bodyBytes, readBody } of renderer.messages(reading, never)) {
    const target = new Uint8Array(bodyBytes + 3).fill(7);
    await readBody(target);
    assert.deepEqual([...target.subarray(bodyBytes)], [7, 7, 7]);
    count++;
  }
  assert.equal(count, 2);
});

for (const format of rowFormats) {
  test(`${format}: a reader that stops early leaves no file open`, async () => {
    for (const reading of [longReading(), longReading([0])]) {
      for await (const chunk of render(reading, format)) {
        assert.ok(chunk.length > 0);
        break;
      }
      await untilClosed();
    }
  });

  test(`${format}: an abort ends the stream with an error and leaves no file open`, async () => {
    for (const reading of [longReading(), longReading([0])]) {
      const abort = new AbortController();
      const reason = new FrameholdError('cancelled', 'gone');
      let chunks = 0;
      await assert.rejects(
        async () => {
          for await (const _ of render(reading, format, abort.signal))
            if (++chunks === 1) abort.abort(reason);
        },
        { kind: 'cancelled' },
      );
      await untilClosed();
    }
  });
}

test('a reader that stops reading stops the worker', async () => {
  const chunks = render(longReading(), 'ndjson');
  await chunks.next();
  await eventually('its buffers are full, and it rests', async () => {
    const before = process.cpuUsage();
    await timePasses(400, 'a worker that goes on would use 400,000 µs of it');
    const { user, system } = process.cpuUsage(before);
    return user + system < 150_000;
  });
  assert.ok(openFiles() > 0, 'it went on to the end');
  assert.ok(((await chunks.next()).value?.length ?? 0) > 0);
  await chunks.return();
  await untilClosed();
});

test('a slow answer does not hold up another in the same thread', async () => {
  const slow = render(longReading(), 'json');
  await slow.next();
  const quick: Uint8Array[] = [];
  for await (const chunk of render(readingOf([frames.path('everything')]), 'json')) quick.push(chunk);
  assert.ok(quick.length > 0);
  await slow.return();
});

test('fewer rows in the parts than in the version is an error, never a short answer', async () => {
  const reading = readingOf([frames.path('one-bool')]);
  const lying = { ...reading, rowCount: 12, record: { ...reading.record, rows: 12 } };
  for (const format of ['json', 'parquet'] as const)
    await assert.rejects(async () => {
      for await (const _ of render(lying, format));
    });
});

test('a missing file is an error', async () => {
  const reading = readingOf([frames.path('one-bool')]);
  const missing = { ...reading, sources: [{ rows: 11, kind: 'arrow' as const, paths: ['/nowhere/at/all'] }] };
  for (const format of rowFormats)
    await assert.rejects(async () => {
      for await (const _ of render(missing, format));
    });
});

test('chunks of text are neither tiny nor large', async () => {
  const sizes: number[] = [];
  for await (const chunk of render(readingOf([frames.path('long')]), 'json')) sizes.push(chunk.length);
  sizes.pop();
  assert.ok(sizes.length > 20);
  assert.ok(Math.min(...sizes) >= 64 * 1024 && Math.max(...sizes) <= 256 * 1024, `${Math.max(...sizes)}`);
});

test('a small file that expands to endless text neither fills the memory nor stops the thread', async () => {
  await assert.rejects(
    async () => {
      for await (const _ of render(readingOf([frames.path('endless-row')]), 'json'));
    },
    { kind: 'not_representable' },
  );
  let bytes = 0;
  for await (const chunk of render(readingOf([frames.path('endless-rows')]), 'json')) {
    assert.ok(chunk.length < 4_000_000, `${chunk.length} bytes in a chunk`);
    bytes += chunk.length;
    if (bytes > 50_000_000) break;
  }
  await untilClosed();
});
