import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../../server/test/support/child-process.ts';
import type { FrameholdOptions } from '../../server/test/support/framehold-process.ts';
import { pythonCommand } from '../../server/test/support/python.ts';
import { descriptors, filesBelow, residentMegabytes } from './process-state.ts';
import { fifths } from './slow-crowd.ts';
import { type PhaseFigures, WatchedServer } from './watched-server.ts';

export interface Sample {
  readonly seconds: number;
  readonly residentMegabytes: number;
  readonly descriptors: number;
  readonly temporaryFiles: number;
  readonly objects: number;
  readonly objectMegabytes: number;
  readonly catalogMegabytes: number;
}

export interface Flatness {
  readonly what: keyof Sample;
  readonly early: number;
  readonly late: number;
  readonly allowed: number;
  readonly flat: boolean;
}

export interface MixedLoadReport {
  readonly figures: PhaseFigures;
  readonly samples: readonly Sample[];
  readonly flatness: readonly Flatness[];
  /** When the work has stopped and the server has come to rest: after the first fifth, and at the end. */
  readonly rests: readonly Sample[];
  readonly counts: Readonly<Record<'done' | 'expected' | 'failed' | 'late', number>>;
  readonly failures: readonly string[];
}

/** By how much the last fifth may exceed the second: a factor, and as much again for what is small. */
const allowances: Partial<Record<keyof Sample, readonly [factor: number, more: number]>> = {
  // V8 gives memory back late, and a transcode takes some 100 MB while it runs.
  residentMegabytes: [1.15, 64],
  descriptors: [1.1, 16],
  temporaryFiles: [1.1, 8],
  objects: [1.15, 40],
};
const httpWorkers = 3;
const flightWorkers = 2;

/** The background works off what the last puts left; a minute is what a small append waits to be transcoded. */
const restMs = 90_000;
/** At rest is what has not changed for so long. */
const unchangedMs = 5_000;
/** Of the whole time, with a rest after each: the first warms what stays warm. */
const rounds = [0.2, 0.8];

/**
 * Mixed work at fixed rates for some time, with the server's memory, descriptors and files looked at. Under load they follow the
 * load; at rest they show what was not given back.
 */
export async function mixedLoad(
  seconds: number,
  sampleMs: number,
  options: FrameholdOptions,
): Promise<MixedLoadReport> {
  // Few versions are kept, so that what is kept is soon as much as it will ever be.
  const flags = [...(options.flags ?? []), '--frames-versions-keep', '3', '--jobs-sweep-interval-ms', '1000'];
  const server = await WatchedServer.start({ ...options, flags });
  try {
    const samples: Sample[] = [];
    const rests: Sample[] = [];
    const told: Told[] = [];
    const began = Date.now();
    const elapsed = () => (Date.now() - began) / 1_000;
    const { figures } = await server.phase('mixed load', async () => {
      for (const share of rounds) {
        const workers = startWorkers(server);
        try {
          // A worker starts in a second, and on a busy machine in a minute.
          for (const worker of workers)
            await worker.until('its first counts', () => lastCounts(worker) ?? null);
          const roundBegan = Date.now();
          for (let next = roundBegan; next < roundBegan + seconds * 1_000 * share; ) {
            next += sampleMs;
            await sleep(Math.max(0, next - Date.now()));
            samples.push(sampleOf(server, elapsed()));
          }
          told.push(...workers.map(countsOf));
        } finally {
          for (const worker of workers) await worker.stop('SIGKILL');
        }
        rests.push(await atRest(server, elapsed));
      }
    });
    const total = (key: 'done' | 'expected' | 'failed' | 'late') =>
      told.reduce((sum, each) => sum + each[key], 0);
    return {
      figures,
      samples,
      flatness: flatness(samples),
      rests,
      counts: {
        done: total('done'),
        expected: total('expected'),
        failed: total('failed'),
        late: total('late'),
      },
      failures: told.map((each) => each.failure).filter((each) => each !== ''),
    };
  } finally {
    await server.stop();
  }
}

function startWorkers({ framehold }: WatchedServer): Child[] {
  const { url, grpcUrl } = framehold;
  const at = (name: string) => join(import.meta.dirname, name);
  const workers: Child[] = [];
  for (let number = 0; number < httpWorkers; number++)
    workers.push(new Child({ command: process.execPath, args: [at('soak-http.ts'), url, String(number)] }));
  for (let number = 0; number < flightWorkers; number++)
    workers.push(
      new Child({ command: pythonCommand, args: [at('soak_flight.py'), grpcUrl, String(number)] }),
    );
  return workers;
}

/** Waits until no temporary file is left and the number of descriptors stays; the lowest of both if that does not happen in time. */
async function atRest(server: WatchedServer, elapsed: () => number): Promise<Sample> {
  const deadline = Date.now() + restMs;
  let last = sampleOf(server, elapsed());
  let lowest = last;
  for (let since = Date.now(); Date.now() < deadline && Date.now() - since < unchangedMs; ) {
    await sleep(500);
    const now = sampleOf(server, elapsed());
    if (now.temporaryFiles > 0 || now.descriptors !== last.descriptors) since = Date.now();
    lowest = {
      ...now,
      descriptors: Math.min(lowest.descriptors, now.descriptors),
      temporaryFiles: Math.min(lowest.temporaryFiles, now.temporaryFiles),
    };
    last = now;
  }
  return lowest;
}

function sampleOf({ framehold }: WatchedServer, seconds: number): Sample {
  const { pid, dataDirectory } = framehold;
  const scratch = ['tmp', join('cold', '.tmp')].map((folder) => filesBelow(join(dataDirectory, folder)));
  const objects = filesBelow(join(dataDirectory, 'objects'));
  const cold = filesBelow(join(dataDirectory, 'cold'));
  const whole = filesBelow(dataDirectory);
  return {
    seconds,
    residentMegabytes: residentMegabytes(pid),
    descriptors: descriptors(pid).length,
    temporaryFiles: scratch.reduce((sum, each) => sum + each.count, 0),
    objects: objects.count + cold.count,
    objectMegabytes: (objects.bytes + cold.bytes) / 1e6,
    catalogMegabytes: (whole.bytes - objects.bytes - cold.bytes - (scratch[0]?.bytes ?? 0)) / 1e6,
  };
}

function flatness(samples: readonly Sample[]): Flatness[] {
  return Object.entries(allowances).map(([key, [factor, more]]) => {
    const what = key as keyof Sample;
    const { early, late } = fifths(samples.map((sample) => sample[what]));
    const allowed = early * factor + more;
    return { what, early, late, allowed, flat: late <= allowed };
  });
}

interface Told {
  readonly done: number;
  readonly expected: number;
  readonly failed: number;
  readonly late: number;
  readonly failure: string;
}

function countsOf(worker: Child): Told {
  const line = lastCounts(worker);
  if (worker.exit !== null || line === undefined)
    return { done: 0, expected: 0, failed: 1, late: 0, failure: `a worker ended: ${worker.tail()}` };
  return JSON.parse(line) as Told;
}

function lastCounts(worker: Child): string | undefined {
  return worker.lines.findLast((each) => each.startsWith('{'));
}
