/**
 * Framehold beside pyarrow's C++ Flight server: the same bytes, the same client, in turns, on one machine in one run.
 *   node bench/flight/run.ts [batches of 4 MiB, 256] [rounds, 3]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MeasuredServer, runClient, startCpp, startFramehold } from './servers.ts';

interface Figures {
  readonly gigabytesPerSecond: number;
  readonly cpuPerGigabyte: number;
  readonly peakMegabytes: number;
}

/** What the specification of this part asks for. */
const targets = { get: 0.7, put: 0.5, peakMegabytes: 400 };
const slowCallers = 8;
const slowSeconds = 6;

const batches = Number(process.argv[2] ?? 256);
const rounds = Number(process.argv[3] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'framehold-bench-'));
const source = join(folder, 'source.arrow');
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  mkdirSync(join(folder, 'cpp'));
  await runClient('make', source, String(batches));
  const framehold = await startFramehold(folder);
  const cpp = await startCpp(join(folder, 'cpp'), source);
  const servers = [cpp, framehold];
  try {
    for (const server of servers) await runClient('put', server.url, 'source', source);
    const puts = await compare(servers, (server, round) =>
      runClient('put', server.url, `put-${round}`, source),
    );
    const gets = await compare(servers, (server) => runClient('get', server.url, 'source'));
    report('DoPut (durable)', puts, targets.put);
    report('DoGet', gets, targets.get);
    for (const mode of ['slow-get', 'slow-put']) {
      framehold.resetPeak();
      const name = mode === 'slow-get' ? ['source'] : ['slow', source];
      await runClient(mode, framehold.url, ...name, String(slowCallers), String(slowSeconds));
      reportPeak(`${slowCallers} callers, ${mode}`, framehold.peakMegabytes);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

type Measured = Map<MeasuredServer, Figures>;

/** In turns, so that a busy moment of the machine meets both; the median of the rounds counts. */
async function compare(
  servers: readonly MeasuredServer[],
  run: (server: MeasuredServer, round: number) => ReturnType<typeof runClient>,
): Promise<Measured> {
  const all = new Map(servers.map((server) => [server, [] as Figures[]]));
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      server.resetPeak();
      const cpuBefore = server.cpuSeconds;
      const { seconds, bytes } = await run(server, round);
      const gigabytes = bytes / 1e9;
      all.get(server)?.push({
        gigabytesPerSecond: gigabytes / seconds,
        cpuPerGigabyte: (server.cpuSeconds - cpuBefore) / gigabytes,
        peakMegabytes: server.peakMegabytes,
      });
    }
  }
  return new Map([...all].map(([server, figures]) => [server, median(figures)]));
}

function median(figures: readonly Figures[]): Figures {
  const middle = (pick: (each: Figures) => number): number =>
    figures.map(pick).sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
  return {
    gigabytesPerSecond: middle((each) => each.gigabytesPerSecond),
    cpuPerGigabyte: middle((each) => each.cpuPerGigabyte),
    peakMegabytes: middle((each) => each.peakMegabytes),
  };
}

function report(what: string, measured: Measured, target: number): void {
  const [cpp, ours] = [...measured.values()];
  for (const [server, figures] of measured) {
    const columns = [
      what.padEnd(18),
      server.name.padEnd(10),
      `${figures.gigabytesPerSecond.toFixed(2)} GB/s`,
      `${figures.cpuPerGigabyte.toFixed(2)} CPU s/GB`,
      `${figures.peakMegabytes.toFixed(0)} MB peak`,
    ];
    console.log(columns.join('  '));
  }
  const ratio = (ours?.gigabytesPerSecond ?? 0) / (cpp?.gigabytesPerSecond ?? 1);
  console.log(
    `${what.padEnd(18)}  ratio ${ratio.toFixed(2)}, wanted ${target}: ${ratio >= target ? 'met' : 'MISSED'}`,
  );
  reportPeak(what, ours?.peakMegabytes ?? Number.NaN);
}

function reportPeak(what: string, megabytes: number): void {
  const met = megabytes < targets.peakMegabytes ? 'met' : 'MISSED';
  console.log(
    `${what.padEnd(18)}  peak ${megabytes.toFixed(0)} MB, wanted below ${targets.peakMegabytes}: ${met}`,
  );
}
