import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { type IpcPiece, joinStream, splitStream } from '../../src/parquet/ipc-piece.ts';
import { ParquetFault } from '../../src/parquet/parquet-fault.ts';
import { parquetModule } from '../../src/parquet/parquet-module.ts';
import { openParquet } from '../../src/parquet/read-parquet.ts';
import { streamParquet, writeStream } from '../../src/parquet/write-parquet.ts';
import { arrowBytes, runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('parquet');
const tables = await arrowBytes({
  plain:
    "pa.table({'i': pa.array(range(200000)), 's': pa.array([None if k % 7 == 0 else 'x' * (k % 30) for k in range(200000)]), 'f': pa.array(np.arange(200000) / 7)})",
  empty: "pa.table({'a': pa.array([], pa.int64())})",
  long: "pa.table({'s': pa.array(['y' * 1000000] * 40)})",
  view: "pa.table({'s': pa.array(['a', None, 'b' * 100], pa.string_view())})",
  wide: "pa.table({f'c{k}': pa.array([k, None]) for k in range(3000)})",
});

async function* oneByOne(pieces: readonly IpcPiece[]): AsyncGenerator<readonly IpcPiece[]> {
  for (const piece of pieces) yield [piece];
}

async function exported(stream: Uint8Array): Promise<Buffer> {
  const { schemaHeader, pieces } = splitStream(stream);
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamParquet({ declared: null, written: schemaHeader }, oneByOne(pieces)))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readBack(path: string, range?: { offset: number; rowCount: number }) {
  await using file = await openParquet(path);
  const pieces: IpcPiece[] = [];
  for await (const batch of file.batches(range)) pieces.push(...batch);
  return { rows: file.rows, stream: joinStream(file.schemaHeader, pieces), pieces };
}

const sameTables = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
def read(path):
    return pq.read_table(path) if path.endswith('.parquet') else pa.ipc.open_stream(path).read_all()
request = json.load(sys.stdin)
expected = read(request[0])
print(json.dumps([read(path).equals(expected) for path in request[1:]]))
`;

test('a stream becomes one file, and the file the same stream', async () => {
  const arrow = join(folder, 'plain.arrows');
  const parquet = join(folder, 'plain.parquet');
  const again = join(folder, 'again.arrows');
  writeFileSync(arrow, tables.plain);
  writeFileSync(parquet, await exported(tables.plain));
  writeFileSync(again, (await readBack(parquet)).stream);
  assert.deepEqual(await runPython(['-c', sameTables], [arrow, parquet, again]), [true, true]);
});

test('a range of rows is read alone', async () => {
  const path = join(folder, 'range.parquet');
  writeFileSync(path, writeStream(tables.plain, 'zstd'));
  const { pieces } = await readBack(path, { offset: 123_456, rowCount: 1_000 });
  const lengths = pieces.map(({ header }) => {
    const message = parseMessage(header);
    return message.kind === 'record-batch' ? message.batch.length : 0;
  });
  assert.equal(
    lengths.reduce((sum, length) => sum + length, 0),
    1_000,
  );
  const first = pieces[0] as IpcPiece;
  const message = parseMessage(first.header);
  assert.ok(message.kind === 'record-batch');
  const view = new DataView(
    first.body.buffer,
    first.body.byteOffset + (message.batch.bufferOffsets[1] as number),
  );
  assert.equal(view.getBigInt64(0, true), 123_456n);
});

test('no rows make a file with the schema', async () => {
  const path = join(folder, 'empty.parquet');
  writeFileSync(path, await exported(tables.empty));
  const { rows, pieces } = await readBack(path);
  assert.equal(rows, 0);
  assert.equal(pieces.length, 0);
});

test('long rows come in batches of a bounded size', async () => {
  const path = join(folder, 'long.parquet');
  writeFileSync(path, writeStream(tables.long, 'zstd'));
  const { pieces } = await readBack(path);
  assert.ok(pieces.length >= 5);
  for (const { body } of pieces) assert.ok(body.length <= 9_000_000);
});

test('the schema is that of the batches, even if the file announces views', async () => {
  const arrow = join(folder, 'view.arrows');
  const path = join(folder, 'view.parquet');
  writeFileSync(path, writeStream(tables.view, 'zstd'));
  writeFileSync(arrow, (await readBack(path)).stream);
  const check =
    "import json, sys, pyarrow as pa; t = pa.ipc.open_stream(json.load(sys.stdin)).read_all(); t.validate(full=True); print(json.dumps([t.num_rows, t['s'].to_pylist()[1]]))";
  assert.deepEqual(await runPython(['-c', check], arrow), [3, null]);
});

test('many columns fit the bounded memory', () => {
  assert.ok(writeStream(tables.wide, 'zstd').length > 100_000);
  assert.ok(parquetModule().wasmMemory().buffer.byteLength < 300_000_000);
});

test('bytes that are not Parquet are a fault with a text', async () => {
  const path = join(folder, 'not.parquet');
  for (const bytes of ['', 'PAR1', 'x'.repeat(5_000), `PAR1${'x'.repeat(5_000)}PAR1`]) {
    writeFileSync(path, bytes);
    await assert.rejects(
      openParquet(path),
      (error) => error instanceof ParquetFault && error.message.length > 0,
    );
  }
});

test('ten thousand columns with zstd fit the memory of the library: each has a decompressor', async () => {
  const arrow = join(folder, 'columns.arrows');
  const parquet = join(folder, 'columns.parquet');
  const write = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
table = pa.table({f'c{k}': pa.array([k, None, k], pa.int64()) for k in range(10_000)})
pq.write_table(table, json.load(sys.stdin)[0], compression='zstd', store_schema=False)
print('null')
`;
  await runPython(['-c', write], [parquet]);
  writeFileSync(arrow, (await readBack(parquet)).stream);
  assert.deepEqual(await runPython(['-c', sameTables], [parquet, arrow]), [true]);
});
