import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { flightService, RawCall } from '../../server/test/flight/raw-call.ts';
import { arrowStreamType, type Problem, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes, runPython } from '../../server/test/support/python.ts';
import { arrowBombs, withUnpackedLength } from './arrow-bombs.ts';
import { parquetBombs, soundParquet } from './parquet-bombs.ts';
import { type Watched, watch } from './server-watch.ts';

/** Shorter than the default, so that the test is, too: the limit works the same way. */
const timeMsMax = 4_000;
const memoryBytesMax = 512 * 1024 * 1024;
const bodyBytesMax = 128 * 1024 * 1024;
/** Of an answer: the time that decoding may take, and that of a busy machine to start a process. */
const answerMsMax = timeMsMax + 26_000;
/** For a ping meanwhile; a machine with two cores has the test, the server and a worker on them. */
const pingMsMax = 2_000;
const serverBytesMax = 400 * 1024 * 1024;

let framehold: Framehold;
let names = 0;

before(async () => {
  framehold = await Framehold.start({
    flags: [
      ...['--decode-time-ms-max', String(timeMsMax)],
      ...['--decode-memory-bytes-max', String(memoryBytesMax)],
      ...['--http-body-bytes-max', String(bodyBytesMax)],
    ],
  });
});
after(async () => await framehold.remove());

interface Bomb {
  readonly body: Uint8Array;
  readonly type: string;
  readonly coding?: string;
  readonly codes?: readonly string[];
}

/** Sends it while others ping, and while somebody else puts a frame. */
async function refused(test: TestContext, bomb: Bomb): Promise<Problem> {
  const { body, type, coding, codes = ['bad_body'] } = bomb;
  const headers = coding === undefined ? {} : { 'content-encoding': coding };
  let answer: { readonly status: number; readonly json: Record<string, unknown> } | null = null;
  const began = performance.now();
  const watched = await watch(framehold, async () => {
    const [bombed] = await Promise.all([
      send(framehold.url, `/v1/frames/bomb${++names}`, Buffer.from(body), { type, headers }),
      send(framehold.url, `/v1/frames/other${names}`, 'a,b\n1,2\n', { type: 'text/csv', status: 201 }),
    ]);
    answer = bombed;
  });
  const elapsedMs = performance.now() - began;
  const { status, json } = answer ?? assert.fail();
  assert.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(json)}`);
  const problem = json as unknown as Problem;
  assert.ok(codes.includes(problem.code), JSON.stringify(problem));
  assert.ok(elapsedMs < answerMsMax, `${elapsedMs} ms`);
  test.diagnostic(`${body.length} bytes, ${Math.round(elapsedMs)} ms: ${problem.detail.slice(0, 160)}`);
  wasCalm(test, watched);
  return problem;
}

function wasCalm(test: TestContext, { pings, slowestPingMs, serverBytes, workerBytes }: Watched): void {
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  test.diagnostic(
    `${pings} pings, slowest ${slowestPingMs} ms; server +${megabytes(serverBytes)} MiB, worker ${megabytes(workerBytes)} MiB`,
  );
  assert.ok(slowestPingMs < pingMsMax, `a ping took ${slowestPingMs} ms`);
  assert.ok(serverBytes < serverBytesMax, `the server took ${serverBytes} bytes more`);
}

describe('Arrow that asks for much is refused', () => {
  for (const [what, body] of Object.entries(arrowBombs()))
    it(what, async (test) => void (await refused(test, { body, type: arrowStreamType })));

  for (const [codec, magic] of [
    ['lz4', 0x184d2204],
    ['zstd', 0xfd2fb528],
  ] as const)
    it(`a buffer that ${codec} unpacks to 4 GB, and one that says 1 GB and has less`, async (test) => {
      const stream = await compressedStream(codec);
      for (const length of [4 * 1024 ** 3, 2 ** 62, 1024 ** 3 - 1])
        await refused(test, { body: withUnpackedLength(stream, magic, length), type: arrowStreamType });
    });

  it('the same as a file: the footer of 2 GB', async (test) => {
    const { file } = await arrowBytes({ file: `pa.table({'n': pa.array([1, 2, 3])})` }, 'file');
    file.writeInt32LE(2 ** 31 - 1, file.length - 10);
    await refused(test, { body: file, type: 'application/vnd.apache.arrow.file' });
  });
});

describe('Parquet that asks for much is refused', () => {
  it('a file of the same making is read', async () => {
    const body = Buffer.from(soundParquet());
    await send(framehold.url, '/v1/frames/sound', body, { type: parquetType, status: 201 });
  });

  for (const [what, body] of Object.entries(parquetBombs()))
    it(what, async (test) => void (await refused(test, { body, type: parquetType })));
});

describe('text that asks for much is refused', () => {
  const ndjson = 'application/x-ndjson';
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`c${key}`, 1])));
  const texts: Readonly<Record<string, Bomb>> = {
    'NDJSON nested 10,000 deep': { body: Buffer.from(`{"a":${'['.repeat(10_000)}`), type: ndjson },
    'short rows of NDJSON under 10,000 columns': {
      body: Buffer.from(`${wide}\n${'{}\n'.repeat(300_000)}`),
      type: ndjson,
    },
    'a line of five million objects': {
      body: Buffer.from(`{"a":[${'{},'.repeat(5_000_000)}{}]}\n`),
      type: ndjson,
    },
    'more than 100,000 fields': {
      body: Buffer.from(
        Array.from({ length: 30 }, (_, line) => `{"a${line}":${wide.replaceAll('c', `d${line}`)}}`).join(
          '\n',
        ),
      ),
      type: ndjson,
    },
    'a CSV of five million columns': { body: Buffer.from(`${'a,'.repeat(5_000_000)}a\n`), type: 'text/csv' },
    'a CSV whose quote is never closed': {
      body: Buffer.from(`a,b\n1,"${'x\n'.repeat(10_000_000)}`),
      type: 'text/csv',
    },
  };
  for (const [what, bomb] of Object.entries(texts))
    it(what, async (test) => void (await refused(test, bomb)));
});

describe('a coding that unpacks to much is refused', () => {
  for (const [type, codes] of [
    ['text/csv', ['body_too_large']],
    [arrowStreamType, ['bad_body', 'body_too_large']],
  ] as const) {
    it(`zstd: 4 GB of ${type} in 130 kB`, async (test) => {
      await refused(test, { body: endlessZstd(), type, coding: 'zstd', codes });
    });
    it(`gzip: 200 MB of ${type} in 200 kB`, async (test) => {
      const body = gzipSync(Buffer.alloc(200 * 1024 * 1024));
      await refused(test, { body, type, coding: 'gzip', codes });
    });
  }

  it('zstd with a window of 128 MB is refused: RFC 9659 allows 8', async (test) => {
    const body = endlessZstd(27);
    await refused(test, { body, type: 'text/csv', coding: 'zstd', codes: ['bad_body'] });
  });
});

describe('gRPC that asks for much is refused', () => {
  const address = () => framehold.grpcUrl.slice('grpc://'.length);

  it('a message of 4 GB', async (test) => {
    const watched = await watch(framehold, async () => {
      const call = new RawCall(address(), flightService('DoPut'));
      call.stream.write(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
      const { 'grpc-status': status, 'grpc-message': message } = await call.status();
      test.diagnostic(`status ${status}: ${message}`);
      assert.equal(status, '8');
    });
    wasCalm(test, watched);
  });

  it('a message that is compressed: 1 GB in 1 MB', async (test) => {
    const packed = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    const body = Buffer.concat([packed, packed, packed, packed]);
    const prefix = Buffer.from([1, 0, 0, 0, 0]);
    prefix.writeUInt32BE(body.length, 1);
    const watched = await watch(framehold, async () => {
      const call = new RawCall(address(), flightService('DoPut'), { 'grpc-encoding': 'gzip' });
      call.stream.write(Buffer.concat([prefix, body]));
      const { 'grpc-status': status, 'grpc-message': message } = await call.status();
      test.diagnostic(`status ${status}: ${message}`);
      assert.ok(['3', '8', '12'].includes(status as string), `status ${status}`);
    });
    wasCalm(test, watched);
  });
});

const parquetType = 'application/vnd.apache.parquet';

async function compressedStream(codec: 'lz4' | 'zstd'): Promise<Uint8Array> {
  const script = `
import base64, io, json, sys
import pyarrow as pa
sink = io.BytesIO()
table = pa.table({'n': pa.array(list(range(1000)) * 50)})
with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression='${codec}')) as writer:
    writer.write_table(table)
print(json.dumps(base64.b64encode(sink.getvalue()).decode()))
`;
  return Buffer.from((await runPython(['-c', script], null)) as string, 'base64');
}

/** One frame of 32,768 blocks, each 128 KiB of the same byte in four bytes. */
function endlessZstd(windowLog = 17): Uint8Array {
  const blocks = 32_768;
  const bytes = Buffer.alloc(6 + blocks * 4);
  bytes.writeUInt32LE(0xfd2fb528, 0);
  // No content size, no checksum; then the window.
  bytes[4] = 0;
  bytes[5] = (windowLog - 10) << 3;
  for (let block = 0; block < blocks; block++) {
    const isLast = block === blocks - 1 ? 1 : 0;
    bytes.writeUIntLE(isLast | (1 << 1) | ((128 * 1024) << 3), 6 + block * 4, 3);
    bytes[6 + block * 4 + 3] = 0x61;
  }
  return bytes;
}
