import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WorkerCodec } from '../../src/compose/codec/worker-codec.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { writeStream } from '../../src/parquet/write-parquet.ts';
import { numbersOf, streamOfColumn } from '../arrow/hand-made.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('parquet-processes');
const codec = new WorkerCodec({
  checkThreads: 1,
  decodeThreads: 1,
  transcodeThreads: 1,
  limits: { batchBytesMax: 2 ** 30, timeMs: 30_000 },
  decodeMemoryBytesMax: 2 * 1024 ** 3,
  compression: { algorithm: 'zstd', level: 3 },
});
after(async () => {
  await codec.close();
  removeFolder(folder);
});
const good = writeStream(streamOfColumn(numbersOf(1, 2, 3)), 'zstd');
/** Good until its rows are read. */
const broken = good.slice().fill(0xff, 4, 40);

async function decoded(bytes: Uint8Array): Promise<Buffer> {
  const source = join(folder, 'upload');
  const target = join(folder, 'decoded');
  writeFileSync(source, bytes);
  await codec.decode({ format: 'parquet', source, target, csv: {} }, new AbortController().signal);
  return readFileSync(target);
}

function processes(): string[] {
  return readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

test('a process that has read a Parquet file reads the next, and none after one that is broken', async () => {
  const first = await decoded(good);
  const before = processes();
  assert.equal(before.length, 1);
  for (let round = 0; round < 5; round++) assert.deepEqual(await decoded(good), first);
  assert.deepEqual(processes(), before);
  await assert.rejects(
    decoded(broken),
    (error) => error instanceof FrameholdError && error.kind === 'bad_body',
  );
  assert.deepEqual(await decoded(good), first);
  assert.ok(!processes().some((each) => before.includes(each)));
});
