import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WorkerCodec } from '../../../src/compose/codec/worker-codec.ts';
import { eventually } from '../../support/patience.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('small-uploads');
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

test('a small upload is decoded while large ones have every other place and more of them wait', async () => {
  const ended: string[] = [];
  const decode = async (name: string, text: string) => {
    const source = join(folder, name);
    writeFileSync(source, text);
    const { signal } = new AbortController();
    await codec.decode({ format: 'csv', source, target: `${source}.arrow`, csv: {} }, signal);
    ended.push(name);
  };
  const large = `n,t\n${'1234567,some text\n'.repeat(400_000)}`;
  const [first, second] = [decode('first', large), decode('second', large)];
  await eventually('the second waits', () =>
    codec.pools.some(({ name, waiting }) => name === 'decode' && waiting > 0),
  );
  const third = decode('small', 'n\n1\n');
  await Promise.all([first, second, third]);
  assert.notEqual(ended.at(-1), 'small', 'it waited for all of them');
});
