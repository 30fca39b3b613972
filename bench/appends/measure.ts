import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { putFrame, send } from '../../server/test/support/frame-client.ts';
import type { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

export interface AppendMeasures {
  /** Medians, in milliseconds. */
  readonly firstAppends: number;
  readonly lastAppends: number;
  /** To a frame that has just begun, each beside one of the last: what the machine makes of an append at that time. */
  readonly freshAppends: number;
  /** Parts of the frame once there was nothing left to compact. */
  readonly parts: number;
  readonly compactionWaitMs: number;
  /** Medians of reading all rows, in milliseconds: the frame of many appends, and the same rows put at once. */
  readonly reads: Readonly<Record<string, { readonly appended: number; readonly whole: number }>>;
}

const rowsPerAppend = 100;
const compactionTimeoutMs = 120_000;

const table = `pa.table({'id': pa.array(range(${rowsPerAppend}), pa.int64()), 'price': [k * 0.25 for k in range(${rowsPerAppend})],
  'ts': pa.array(range(${rowsPerAppend}), pa.timestamp('us')), 'name': [f'name-{k}' for k in range(${rowsPerAppend})]})`;

/** Appends one after another over HTTP, then reads; `edge` appends are compared at each end. */
export async function measureAppends(
  framehold: Framehold,
  appends: number,
  edge: number,
  readRounds: number,
  sweepMs: number,
): Promise<AppendMeasures> {
  const { small, whole } = await arrowBytes({
    small: table,
    whole: `pa.concat_tables([${table}] * ${appends}).combine_chunks()`,
  });
  await putFrame(framehold.url, 'whole', whole);
  await putFrame(framehold.url, 'appended', small);
  await putFrame(framehold.url, 'fresh', small);
  const times: number[] = [];
  const freshTimes: number[] = [];
  for (let count = 1; count < appends; count++) {
    times.push(await append(framehold.url, 'appended', small));
    if (count >= appends - edge) freshTimes.push(await append(framehold.url, 'fresh', small));
  }
  const began = performance.now();
  const parts = await untilCompacted(framehold, sweepMs);
  const compactionWaitMs = performance.now() - began;

  const reads: Record<string, { appended: number; whole: number }> = {};
  const ways: Record<string, (name: string) => Promise<number>> = {
    'Flight DoGet': (name) => doGet(framehold.grpcUrl, name, readRounds),
    '/exec': (name) => get(`${framehold.url}/exec?fmt=json&limit=1000000&handle=${name}`, readRounds),
    '/exp csv': (name) => get(`${framehold.url}/exp?fmt=csv&handle=${name}`, readRounds),
    '/exp arrow': (name) => get(`${framehold.url}/exp?fmt=arrow&handle=${name}`, readRounds),
  };
  await assertSameRows(framehold.url);
  for (const [way, read] of Object.entries(ways))
    reads[way] = { appended: await read('appended'), whole: await read('whole') };
  return {
    firstAppends: median(times.slice(0, edge)),
    lastAppends: median(times.slice(-edge)),
    freshAppends: median(freshTimes),
    parts,
    compactionWaitMs,
    reads,
  };
}

async function append(url: string, name: string, rows: Uint8Array<ArrayBuffer>): Promise<number> {
  const began = performance.now();
  await send(url, `/v1/frames/${name}/rows`, rows, { method: 'POST', status: 200 });
  return performance.now() - began;
}

/** Waits until the number of parts has stayed the same for some sweeps. */
async function untilCompacted(framehold: Framehold, sweepMs: number): Promise<number> {
  const deadline = performance.now() + compactionTimeoutMs;
  let last = -1;
  for (let same = 0; same < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, sweepMs));
    const now = partCount(framehold.dataDirectory);
    same = now === last && now < 100 ? same + 1 : 0;
    last = now;
    if (performance.now() > deadline)
      throw new Error(`${now} parts are left after ${compactionTimeoutMs} ms`);
  }
  return last;
}

function partCount(dataDirectory: string): number {
  const database = new DatabaseSync(join(dataDirectory, 'catalog.sqlite'), {
    readOnly: true,
    timeout: 5_000,
  });
  try {
    const found = database
      .prepare(
        "SELECT count(*) AS count FROM parts JOIN names ON names.id = parts.name_id WHERE names.name = 'appended'",
      )
      .get();
    return Number(found?.count);
  } finally {
    database.close();
  }
}

/** The comparison is fair only if both answer with the same rows. */
async function assertSameRows(url: string): Promise<void> {
  const texts: Buffer[] = [];
  for (const name of ['appended', 'whole']) {
    const answer = await fetch(`${url}/exp?fmt=csv&handle=${name}`);
    texts.push(Buffer.from(await answer.arrayBuffer()));
  }
  const [appended, whole] = texts;
  if (!appended || !whole || appended.length < 1_000 || !appended.equals(whole))
    throw new Error('different rows');
}

async function get(url: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** The clock runs in Python, around the call only. */
async function doGet(grpcUrl: string, name: string, rounds: number): Promise<number> {
  const lines = `
import time
result = []
get('whole')
for _ in range(given['rounds']):
    began = time.monotonic()
    get(given['name'])
    result.append((time.monotonic() - began) * 1000)
`;
  return median((await flightPython(grpcUrl, lines, { name, rounds })) as number[]);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
