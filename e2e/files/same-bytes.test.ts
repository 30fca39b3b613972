/** The file of a version stays the same, whatever happens to its parts and to its frame. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, objectFiles } from '../../server/test/support/catalog-file.ts';
import { assertProblem, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

const tables = {
  // 2 MB each: stored row groups are used, and several of them are worth compacting.
  numbers: "pa.table({'v': pa.array(np.random.default_rng(1).standard_normal(250000))})",
  texts:
    "pa.table({'k': pa.array(range(60000)), 'f': pa.array([None if k % 11 == 0 else k * 7919 % 10007 / 8 for k in range(60000)]), 's': pa.array([f'text {k * 7919 % 4001} and {k % 13}' for k in range(60000)])})",
  other: "pa.table({'x': pa.array([1])})",
};
/** The last one stays apart: the version before it is kept, too. */
const appends = 10;

let framehold: Framehold;
let bodies: Record<keyof typeof tables, Buffer<ArrayBuffer>>;
before(async () => {
  const env = { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' };
  [framehold, bodies] = await Promise.all([Framehold.start({ env }), arrowBytes(tables)]);
});
after(async () => await framehold.remove());

interface Content {
  readonly etag: string;
  readonly length: number;
  readonly sha256: string;
}

async function contentOf(file: string): Promise<Content> {
  const answer = await fetch(`${framehold.url}/v1/files/${file}`);
  assert.equal(answer.status, 200, file);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { etag: answer.headers.get('etag') ?? '', length: bytes.length, sha256 };
}

/** How many objects the file of a version has that no part has any more. */
function replacedObjects(name: string): number {
  const [row] = ask<{ count: number }>(
    framehold.dataDirectory,
    `select count(*) count from file_objects f join names n on n.id = f.name_id where n.name = ? and own = 0
       and not exists (select 1 from objects o where o.key = f.key)`,
    name,
  );
  return row?.count ?? 0;
}

test('a file is the same while parts are compacted, after kill -9, and after its frame was replaced', async () => {
  await putFrame(framehold.url, 'merged', bodies.numbers);
  for (let count = 1; count < appends; count++)
    await send(framehold.url, '/v1/frames/merged/rows', bodies.numbers, { method: 'POST', status: 200 });
  const merged = `merged@${appends}.parquet`;
  const first = await contentOf(merged);
  await framehold.kill();
  // The versions between end, and with them what keeps their parts apart.
  await framehold.start({ FRAMEHOLD_FRAMES_VERSIONS_KEEP: '2' });
  await framehold.until('compacted parts', async () => {
    assert.deepEqual(await contentOf(merged), first);
    return replacedObjects('merged') >= appends - 1 ? true : null;
  });
  // Between two requests of a reader.
  const half = Math.floor(first.length / 2);
  const rangeOf = async (file: string, range: string) => {
    const answer = await fetch(`${framehold.url}/v1/files/${file}`, { headers: { range } });
    assert.equal(answer.status, 206);
    return Buffer.from(await answer.arrayBuffer());
  };
  const begin = await rangeOf(merged, `bytes=0-${half - 1}`);
  await send(framehold.url, '/v1/frames/merged', bodies.other, { status: 200 });
  const end = await rangeOf(merged, `bytes=${half}-`);
  const sha256 = createHash('sha256').update(begin).update(end).digest('hex');
  assert.equal(sha256, first.sha256);
  const bare = await fetch(`${framehold.url}/v1/files/merged.parquet`, {
    headers: { 'if-match': first.etag },
  });
  assert.equal(bare.status, 412, 'a bare name honours conditions');
  await bare.body?.cancel();

  const kept = () => objectFiles(framehold.dataDirectory).keys;
  const held = ask<{ key: string }>(framehold.dataDirectory, 'select key from file_objects').map(
    ({ key }) => key,
  );
  assert.deepEqual(
    held.filter((key) => !kept().includes(key)),
    [],
  );
  const purge = await fetch(`${framehold.url}/v1/frames/merged?purge=true`, { method: 'DELETE' });
  assert.equal(purge.status, 204);
  await framehold.until('removed objects', () => (kept().length === 0 ? true : null));
});

test('a file of which an object has gone is made anew, and never served with other bytes under the same ETag', async () => {
  await putFrame(framehold.url, 'lost', bodies.texts);
  const before = await contentOf('lost@1.parquet');
  const [end] = ask<{ key: string }>(
    framehold.dataDirectory,
    "select f.key from file_objects f join names n on n.id = f.name_id where n.name = 'lost' and own = 1",
  );
  rmSync(join(framehold.dataDirectory, 'cold', end?.key ?? ''));
  const answer = await getText(`${framehold.url}/v1/files/lost@1.parquet`, {
    headers: { range: 'bytes=-8' },
  });
  const { hint } = assertProblem(answer, 503, 'file_not_ready');
  assert.match(hint ?? '', /first byte/);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const after = await contentOf('lost@1.parquet');
  assert.deepEqual(await contentOf('lost@1.parquet'), after);
  // The part still has its row groups. If the bytes were others, the ETag would say so.
  assert.equal(after.etag === before.etag, after.sha256 === before.sha256);
});
