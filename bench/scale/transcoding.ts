/**
 * What the life of a frame costs after its put: transcoding, compacting appended parts, a cold read on another node, removal. One node with PostgreSQL
 * and S3. `node bench/scale/transcoding.ts [small frames, 100]`
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { arrowBytes, pythonCommand } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { type Costs, sharedSite } from './site.ts';

const frames = Number(process.argv[2] ?? 100);
const folder = temporaryFolder('settling');
// Garbage goes soon, and jobs run often: otherwise this would take a day.
const site = await sharedSite(['--jobs-garbage-delay-ms', '1000', '--jobs-sweep-interval-ms', '500']);
try {
  const { small } = await arrowBytes({
    small: `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
      'ts': pa.array([1704067200000000 + x * 1000000 for x in range(1000)], pa.timestamp('us')),
      'name': [f'name-{x}' for x in range(1, 1001)]})`,
  });
  const source = join(folder, 'large.arrow');
  await client('make', source, '24');
  const send = async (method: string, path: string, body?: Uint8Array) => {
    const answer = await fetch(`${site.url}${path}`, {
      method,
      headers: { ...site.headers, 'content-type': 'application/vnd.apache.arrow.stream' },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const names = Array.from({ length: frames }, (_, index) => `small-${index}`);
  await phase('put and transcode 36 KB', frames, async () => {
    for (const name of names) await send('PUT', `/v1/frames/${name}`, small);
    await transcoded();
  });
  await phase('put and transcode 101 MB', 1, async () => {
    await client('put', site.grpcUrl, 'large', source, site.headers.authorization ?? '');
    await transcoded();
  });
  await phase('append 36 KB, 64 to one frame, and compact', 64, async () => {
    for (let count = 0; count < 64; count++) await send('POST', '/v1/frames/small-0/rows', small);
    await transcoded();
  });
  await phase('cold read of 36 KB', frames - 1, async () => {
    await site.restartEmpty();
    for (const name of names.slice(1)) await send('GET', `/v1/frames/${name}/rows?fmt=csv`);
  });
  await phase('drop, and remove the objects', frames, async () => {
    for (const name of names) await send('DELETE', `/v1/frames/${name}?purge=true`);
    await until('no garbage', async () => (await site.query('SELECT 1 FROM garbage LIMIT 1')).length === 0);
  });
} finally {
  await site.stop();
  removeFolder(folder);
}

async function phase(title: string, count: number, work: () => Promise<void>): Promise<void> {
  const before = await site.costs();
  const began = performance.now();
  await work();
  const after = await site.costs();
  const seconds = (performance.now() - began) / 1_000;
  const each = (pick: (costs: Costs) => number) => (pick(after) - pick(before)) / count;
  const requests = Object.keys(after.s3Requests)
    .map((name) => [name, each((costs) => costs.s3Requests[name] ?? 0)] as const)
    .filter(([, number]) => number >= 0.01)
    .map(([name, number]) => `${number.toFixed(2)} ${name}`);
  console.log(
    `${title.padEnd(42)} node ${(each((costs) => costs.nodeCpuSeconds) * 1e3).toFixed(1)} ms CPU  PostgreSQL ${(each((costs) => costs.postgresCpuSeconds) * 1e3).toFixed(1)} ms, ` +
      `${each((costs) => costs.transactions).toFixed(1)} transactions  S3 ${requests.join(', ')}  (${seconds.toFixed(0)} s)`,
  );
}

/** Every part has its Parquet form, or never will, and nothing is left to compact. */
function transcoded(): Promise<void> {
  return until('transcoded parts', async () => {
    const [row] = await site.query(
      'SELECT (SELECT count(*) FROM parts WHERE parquet_exact IS NULL AND refusal IS NULL AND (seq = 0 OR size >= 1048576))::int AS parts, (SELECT count(*) FROM merges_due)::int AS compactions',
    );
    return Number(row?.parts) === 0 && Number(row?.compactions) === 0;
  });
}

async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 600_000; !(await ask()); ) {
    if (Date.now() > deadline) throw new Error(`no ${what} within ten minutes`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function client(...args: readonly string[]): Promise<void> {
  const script = join(import.meta.dirname, '..', 'flight', 'client.py');
  await promisify(execFile)(pythonCommand, [script, ...args], { timeout: 600_000 });
}
