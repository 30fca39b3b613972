import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { encodeRecordBatchHeader } from '../../../src/arrow/batches/batch-encoder.ts';
import { packZstd } from '../../../src/arrow/compression/zstd.ts';
import { WorkerCodec } from '../../../src/compose/codec/worker-codec.ts';
import type { TranscodeReport } from '../../../src/ports/codec.ts';
import { WorkerCheck } from '../../../src/validate/worker-check.ts';
import { ThreadPool } from '../../../src/workers/thread-pool.ts';
import {
  arrayOf,
  batchPiece,
  fieldOf,
  int64,
  numbersOf,
  schemaPiece,
  streamOfColumn,
} from '../../arrow/hand-made.ts';
import { decodeStream, type Piece, streamOf } from '../../arrow/stream-bytes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What the fuzzer and the bombs have found: each was once a server that waited, or was gone. */

const folder = temporaryFolder('hostile');
const limits = { batchBytesMax: 1024 ** 3, timeMs: 30_000 };
const options = {
  checkThreads: 1,
  decodeThreads: 1,
  transcodeThreads: 1,
  compression: { algorithm: 'zstd', level: 3 },
} as const;
const codec = new WorkerCodec({ ...options, limits, decodeMemoryBytesMax: 512 * 1024 * 1024 });
after(async () => await codec.close());
const signal = new AbortController().signal;
let files = 0;

function fileOf(bytes: Uint8Array | string): string {
  const path = join(folder, `f${++files}`);
  writeFileSync(path, bytes);
  return path;
}

async function transcode(stream: Uint8Array): Promise<TranscodeReport> {
  const sha256 = createHash('sha256').update(stream).digest('hex');
  const request = { source: fileOf(stream), sha256, targetDirectory: folder, targetPrefix: `p${++files}.` };
  return await codec.transcode({ ...request, interactive: true }, signal);
}

describe('a part that traps the Parquet library', () => {
  it('is refused, and the parts behind it in the same pool are transcoded', async () => {
    const child = arrayOf(fieldOf({ kind: 'null' }, [], 'item'), 2 ** 31 - 1, [], { nullCount: 2 ** 31 - 1 });
    const type = { kind: 'fixed-list', size: 2 ** 31 - 1 } as const;
    const trap = streamOfColumn(arrayOf(fieldOf(type, [child.field]), 1, [], { children: [child] }));
    const good = streamOfColumn(numbersOf(1, 2, 3));
    const [trapped, ...others] = await Promise.all([
      transcode(trap),
      transcode(good),
      transcode(good),
      transcode(good),
    ]);
    assert.match(trapped?.refusal ?? '', /gave up/);
    for (const report of others) assert.deepEqual([report.refusal, report.files.length], [null, 1]);
  });
});

/** A batch of `rows` zeros, as zstd has them: a gigabyte in some 30 kB. */
function packedZeros(rows: number): Piece {
  const packed = packZstd(new Uint8Array(rows * 8), 1);
  const body = Buffer.alloc(Math.ceil((8 + packed.length) / 8) * 8);
  body.writeBigInt64LE(BigInt(rows * 8));
  body.set(packed, 8);
  const header = encodeRecordBatchHeader({
    length: rows,
    nodes: [{ length: rows, nullCount: 0 }],
    buffers: [
      { offset: 0, length: 0 },
      { offset: 0, length: 8 + packed.length },
    ],
    variadicCounts: [],
    bodyBytes: body.length,
    compression: 'zstd',
  });
  return { header, body };
}

describe('a check of few bytes that are much work', () => {
  const batch = packedZeros(8 * 1024 * 1024);
  const stream = streamOf([schemaPiece([fieldOf(int64)]), ...Array.from({ length: 30 }, () => batch)]);

  it('gives way behind each batch: another check does not wait for all of them', async () => {
    const small = streamOfColumn(numbersOf(1, 2, 3));
    const long = codec.check(fileOf(stream));
    let ended = false;
    const report = long.finish(stream.length).then((found) => {
      ended = true;
      return found;
    });
    await codec.check(fileOf(small)).finish(small.length);
    assert.equal(ended, false, 'the small check ended first');
    assert.equal((await report).rows, 30 * 8 * 1024 * 1024);
  });

  it('is refused if it takes longer than it may, and the error names the setting', async () => {
    const hasty = new WorkerCodec({
      ...options,
      limits: { ...limits, timeMs: 1 },
      decodeMemoryBytesMax: 2 ** 30,
    });
    try {
      await assert.rejects(hasty.check(fileOf(stream)).finish(stream.length), {
        kind: 'bad_body',
        message: /took longer than/,
        hint: /decode\.time_ms_max/,
      });
    } finally {
      await hasty.close();
    }
  });
});

describe('checks whose shared thread is lost', () => {
  it('begin again alone, and end as if nothing had been', async () => {
    const pool = { threads: 1, queueMax: 10, queueWaitMs: 60_000 };
    // This one dies of every check, as if each had another beside it that takes the thread along.
    const shared = new ThreadPool({
      ...pool,
      name: 'shared',
      module: new URL('./dying-worker.ts', import.meta.url),
      jobsPerThread: 10,
    });
    const alone = new ThreadPool({
      ...pool,
      name: 'alone',
      module: new URL('../../../src/compose/workers/interactive-worker.ts', import.meta.url),
      jobsPerThread: 1,
      freshThreads: true,
    });
    try {
      const stream = streamOf([schemaPiece([fieldOf(int64)]), batchPiece(3, [numbersOf(1, 2, 3)])]);
      const checks = [1, 2, 3].map(() => new WorkerCheck({ shared, alone }, fileOf(stream), limits));
      for (const check of checks) check.advance(stream.length - 8);
      for (const check of checks) assert.equal((await check.finish(stream.length)).rows, 3);
    } finally {
      await Promise.all([shared.close(), alone.close()]);
    }
  });
});

describe('text that takes more memory than it has bytes', () => {
  const decode = async (format: 'csv' | 'ndjson', text: string): Promise<Uint8Array> => {
    const target = join(folder, `t${++files}`);
    await codec.decode({ format, source: fileOf(text), target, csv: {} }, signal);
    return readFileSync(target);
  };

  it('short rows of NDJSON under many columns are written as they come', async () => {
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, key) => [`c${key}`, key]));
    // Gathered to the end of the file's piece, these took memory for each of their cells.
    const stream = await decode('ndjson', `${JSON.stringify(wide)}\n${'{}\n'.repeat(3_000)}`);
    const { batches } = await decodeStream(stream);
    assert.equal(
      batches.reduce((rows, { length }) => rows + length, 0),
      3_001,
    );
  });

  it('a line of a million values, 100,000 fields, 100,000 columns are the most', async () => {
    const many = `{"a":[${'1,'.repeat(1_000_000)}1]}\n`;
    await assert.rejects(decode('ndjson', many), { kind: 'bad_body', message: /values in one row/ });
    const keys = (from: number) => Array.from({ length: 9_000 }, (_, key) => `"k${from + key}":1`).join(',');
    const nested = Array.from({ length: 12 }, (_, line) => `{"a${line}":{${keys(line * 9_000)}}}`).join('\n');
    await assert.rejects(decode('ndjson', nested), { kind: 'bad_body', message: /fields in all/ });
    const columns = `${'a,'.repeat(100_000)}a\n`;
    await assert.rejects(decode('csv', columns), { kind: 'bad_body', message: /100001 columns/ });
  });
});
