/** A frame as a file is the same file on every node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { appendNumbers, writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { assertProblem, getText } from '../../server/test/support/frame-client.ts';
import { readArrow } from '../../server/test/support/python.ts';

let cluster: Cluster;
let urls: readonly string[];

before(async () => {
  cluster = await Cluster.start({ nodes: 3 });
  urls = [0, 1, 2].map((node) => cluster.node(node).url);
});

after(() => cluster?.remove());

async function head(url: string, file: string): Promise<{ readonly etag: string; readonly length: number }> {
  const { status, headers } = await fetch(`${url}/v1/files/${file}`, { method: 'HEAD' });
  assert.equal(status, 200);
  return { etag: headers.get('etag') ?? '', length: Number(headers.get('content-length')) };
}

/** In ranges, each from the next node. */
async function inTurns(file: string, length: number, etag: string): Promise<Buffer> {
  const size = Math.ceil(length / 12);
  const pieces: Buffer[] = [];
  for (let start = 0; start < length; start += size) {
    const url = urls[pieces.length % urls.length];
    const headers = { range: `bytes=${start}-${start + size - 1}`, 'if-match': etag };
    const answer = await fetch(`${url}/v1/files/${file}`, { headers });
    assert.equal(answer.status, 206);
    pieces.push(Buffer.from(await answer.arrayBuffer()));
  }
  return Buffer.concat(pieces);
}

test('three nodes that are asked at once give one file, in ranges from all of them', async () => {
  const [a = '', b = '', c = ''] = urls;
  const first = Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 1_000_003);
  await writeNumbers(a, 'shared', first);
  await appendNumbers(b, 'shared', [1, 2, 3]);
  const heads = await Promise.all(urls.map((url) => head(url, 'shared@2.parquet')));
  const [{ etag, length } = { etag: '', length: 0 }] = heads;
  assert.deepEqual(heads, [heads[0], heads[0], heads[0]]);
  const bytes = await inTurns('shared@2.parquet', length, etag);
  assert.deepEqual((await readArrow(bytes, 'parquet')).values.n, [...first, 1, 2, 3]);

  await writeNumbers(c, 'shared', [9]);
  assert.deepEqual(await inTurns('shared@2.parquet', length, etag), bytes, 'the version that is pinned');
  assert.notEqual((await head(a, 'shared.parquet')).etag, etag);
  assert.equal((await fetch(`${b}/v1/frames/shared`, { method: 'DELETE' })).status, 204);
  for (const url of urls) assertProblem(await getText(`${url}/v1/files/shared@2.parquet`), 410, 'frame_gone');
});
