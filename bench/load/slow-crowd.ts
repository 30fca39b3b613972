import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../../server/test/support/child-process.ts';
import type { FrameholdOptions } from '../../server/test/support/framehold-process.ts';
import { pythonCommand, runPython } from '../../server/test/support/python.ts';
import { descriptors, filesBelow } from './process-state.ts';
import { type PhaseFigures, quantile, WatchedServer } from './watched-server.ts';

export interface Crowd {
  readonly httpReaders: number;
  readonly flightReaders: number;
  readonly flightUploads: number;
  readonly httpUploads: number;
  readonly seconds: number;
}

/** What callers hold in the server, as it can be seen from outside and as the server counts it. */
export interface Held {
  readonly descriptors: number;
  readonly stagedFiles: number;
  readonly puts: number;
  readonly reads: number;
  readonly leasedObjects: number;
  readonly jobs: number;
}

export interface CrowdReport {
  readonly figures: PhaseFigures;
  /** Resident memory at the second and the last fifth of the time, medians in MB. */
  readonly memory: { readonly early: number; readonly late: number };
  readonly before: Held;
  readonly during: Held;
  /** After the callers left, and how long it took until it was as before. */
  readonly after: Held;
  readonly freedMs: number;
  /** Callers whose call had ended while it should have gone on. */
  readonly ended: number;
}

interface Progress {
  readonly answered: number;
  readonly ended: number;
  readonly taken: number;
  readonly errors?: readonly string[];
}

/** Large enough that no slow reader comes to its end. */
const frameBatches = 100;
const startMs = 60_000;
/** The frame is read by everybody; the eyes are on memory, so it is transcoded and done with before. */
const transcodeMs = 120_000;
const leaveMs = 10_000;

/** Slow callers of every kind at once, for a while; then all of them leave without a word. */
export async function slowCrowd(crowd: Crowd, options: FrameholdOptions): Promise<CrowdReport> {
  const server = await WatchedServer.start(options);
  const { framehold } = server;
  const children: Child[] = [];
  try {
    const put = [
      join(import.meta.dirname, 'frames.py'),
      'put-flight',
      framehold.grpcUrl,
      'read',
      String(frameBatches),
    ];
    await runPython(put, null);
    await transcoded(server);
    await warmUp(framehold.url);
    const before = await held(server);
    children.push(startReaders(framehold.url, crowd), startCallers(framehold.url, framehold.grpcUrl, crowd));
    const everybody = crowd.httpReaders + crowd.flightReaders + crowd.flightUploads + crowd.httpUploads;
    await everybodyServed(children, everybody);
    const memory: number[] = [];
    const { figures } = await server.phase('slow callers', async () => {
      for (const until = Date.now() + crowd.seconds * 1_000; Date.now() < until; await sleep(100))
        memory.push(server.megabytes);
    });
    const during = await held(server);
    const progress = children.map(progressOf);
    const ended = sum(progress, 'ended');
    if (ended > 0) console.error(progress.flatMap((each) => each.errors ?? []));
    for (const child of children) child.signal('SIGKILL');
    const left = Date.now();
    let after = await held(server);
    while (!sameOrLess(after, before) && Date.now() - left < leaveMs) {
      await sleep(20);
      after = await held(server);
    }
    return { figures, memory: fifths(memory), before, during, after, freedMs: Date.now() - left, ended };
  } finally {
    for (const child of children) await child.stop('SIGKILL');
    await server.stop();
  }
}

async function transcoded(server: WatchedServer): Promise<void> {
  const deadline = Date.now() + transcodeMs;
  while ((await server.metric('framehold_settled_parts_total{exact="true"}')) === 0) {
    if (Date.now() > deadline) throw new Error('the frame was not transcoded in time');
    await sleep(250);
  }
}

async function everybodyServed(children: readonly Child[], everybody: number): Promise<void> {
  for (const deadline = Date.now() + startMs; ; await sleep(100)) {
    const progress = children.map(progressOf);
    if (sum(progress, 'answered') >= everybody) return;
    if (Date.now() > deadline)
      throw new Error(`not all of ${everybody} were served: ${JSON.stringify(progress)}`);
  }
}

/** Every kind of worker has begun once, so that threads and their descriptors are there before they are counted. */
async function warmUp(url: string): Promise<void> {
  for (const format of ['arrow', 'csv', 'ndjson', 'json', 'parquet'])
    await (await fetch(`${url}/v1/frames/read/rows?fmt=${format}&limit=1`)).arrayBuffer();
}

async function held(server: WatchedServer): Promise<Held> {
  const { framehold } = server;
  const text = await (await fetch(`${framehold.url}/metrics`)).text();
  const total = (name: string) =>
    [...text.matchAll(new RegExp(`^framehold_${name}(?:\\{[^}]*\\})? (\\d+)$`, 'gm'))].reduce(
      (before, [, value]) => before + Number(value),
      0,
    );
  return {
    // Inside the data directory, and sockets; what Node opens for itself comes and goes.
    descriptors: descriptors(framehold.pid).filter(
      (each) => each.startsWith('socket:') || each.startsWith(framehold.dataDirectory),
    ).length,
    stagedFiles: filesBelow(join(framehold.dataDirectory, 'tmp')).count,
    puts: total('puts_open'),
    reads: total('reads_open'),
    leasedObjects: total('leased_objects'),
    jobs: total('worker_jobs'),
  };
}

/** Our own questions and those of the probe take some sockets. */
const ownSockets = 8;

function sameOrLess(now: Held, before: Held): boolean {
  return (Object.keys(before) as (keyof Held)[]).every(
    (key) => now[key] <= before[key] + (key === 'descriptors' ? ownSockets : 0),
  );
}

function startReaders(url: string, crowd: Crowd): Child {
  const script = join(import.meta.dirname, 'slow-readers.ts');
  return new Child({ command: process.execPath, args: [script, url, 'read', String(crowd.httpReaders)] });
}

function startCallers(url: string, grpcUrl: string, crowd: Crowd): Child {
  const script = join(import.meta.dirname, 'slow_callers.py');
  const counts = [crowd.flightReaders, crowd.flightUploads, crowd.httpUploads].map(String);
  return new Child({ command: pythonCommand, args: [script, grpcUrl, url, 'read', ...counts] });
}

function progressOf(child: Child): Progress {
  const line = child.lines.findLast((each) => each.startsWith('{'));
  return line === undefined ? { answered: 0, ended: 0, taken: 0 } : (JSON.parse(line) as Progress);
}

function sum(progress: readonly Progress[], key: 'answered' | 'ended'): number {
  return progress.reduce((total, each) => total + each[key], 0);
}

/** Medians of the second and the last fifth: the first is still filling its buffers. */
export function fifths(values: readonly number[]): { readonly early: number; readonly late: number } {
  const fifth = Math.floor(values.length / 5);
  const median = (from: number, to: number) =>
    quantile(
      values.slice(from, to).sort((a, b) => a - b),
      0.5,
    );
  return { early: median(fifth, 2 * fifth), late: median(values.length - fifth, values.length) };
}
