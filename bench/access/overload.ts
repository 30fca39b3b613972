/**
 * What callers get while more is asked of the server than it can do: `node bench/access/overload.ts [checkout] [kind]`. Rows, statements with a new literal each and uploads, over up to
 * 512 connections, at rates from half to four times of what it can do, and what a probe on a new connection takes meanwhile. The generator (open-loop.ts) is a process on the second core.
 * With the path of another checkout, its server is measured; it must have been built.
 */
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { quantile } from '../suite/statistics.ts';
import type { Kind, OpenLoop, OpenLoopReport } from './open-loop.ts';

const connections = 512;
const seconds = 10;
const factors = [0.5, 0.8, 1, 1.5, 2, 4];
const probeEveryMs = 100;
/** Meanwhile the generator opens its connections. */
const openingMs = 3_000;
const kinds: readonly Kind[] = ['rows', 'statements', 'uploads'];

const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..'));
const only = process.argv[3];
const run = promisify(execFile);

async function load(loop: OpenLoop): Promise<OpenLoopReport> {
  const script = join(import.meta.dirname, 'open-loop.ts');
  const { stdout } = await run('taskset', ['-c', '1', process.execPath, script, JSON.stringify(loop)]);
  return JSON.parse(stdout) as OpenLoopReport;
}

function probe(url: string): Promise<number> {
  const began = performance.now();
  return new Promise((done, fail) => {
    request(`${url}/ping`, { agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => done(performance.now() - began));
    })
      .on('error', fail)
      .end();
  });
}

interface Probes {
  /** While the generator opens its connections. */
  readonly opening: number[];
  readonly later: number[];
}

/** One after the other, on new connections, until the work has ended. */
async function probesDuring(url: string, work: Promise<unknown>): Promise<Probes> {
  const probes: Probes = { opening: [], later: [] };
  const began = performance.now();
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const isOpening = performance.now() - began < openingMs;
    probes[isOpening ? 'opening' : 'later'].push(await probe(url));
    await sleep(probeEveryMs);
  }
  return probes;
}

async function measure(kind: Kind): Promise<void> {
  const framehold = await Framehold.start({
    command: [process.execPath, join(checkout, 'server', 'dist', 'main.js')],
    // Rows are rendered anew: cached answers would measure the cache.
    env: { FRAMEHOLD_CACHE_RENDERED_BYTES_MAX: '0' },
  });
  try {
    const rows = Array.from({ length: 1_000 }, (_, index) => `${index},text ${index}`).join('\n');
    await fetch(`${framehold.url}/v1/frames/held`, {
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      body: `n,text\n${rows}\n`,
    });
    const loop = { url: framehold.url, kind, seconds };
    // More than it can do, over as few connections as it needs: what it can do. The first time it warms up.
    const full = { ...loop, connections: 16, rate: 20_000 };
    await load({ ...full, seconds: 3 });
    const capacity = (await load(full)).good;
    console.log(`${kind}: ${capacity.toFixed(0)} in a second over 16 connections`);
    for (const factor of factors) {
      const work = load({ ...loop, connections, rate: capacity * factor });
      const { opening, later } = await probesDuring(framehold.url, work);
      const { sent, good, others, medianMs, p99Ms } = await work;
      const refused = Object.entries(others).map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`);
      console.log(
        [
          `  ${factor} ×: sent ${sent.toFixed(0)}/s, good ${good.toFixed(0)}/s (${((100 * good) / capacity).toFixed(0)} %)`,
          `median ${medianMs.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`,
          ...refused,
          `/ping on a new connection: median ${quantile(later, 0.5).toFixed(0)} ms, most ${Math.max(...later).toFixed(0)} ms, ${Math.max(...opening).toFixed(0)} ms while connections are opened`,
        ].join('; '),
      );
    }
  } finally {
    await framehold.remove();
  }
}

for (const kind of kinds) if (only === undefined || only === kind) await measure(kind);
