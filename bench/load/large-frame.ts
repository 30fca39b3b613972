import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameholdOptions } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';
import { peakMegabytes } from './process-state.ts';
import { type PhaseFigures, phaseLine, WatchedServer } from './watched-server.ts';

interface ClientReport {
  readonly seconds: number;
  readonly bytes: number;
  readonly rows: number;
  readonly hash: string;
}

export interface LargeFrameReport {
  readonly phases: readonly PhaseFigures[];
  /** Every hash of values that a client computed: of what it sent, and of what it read. */
  readonly hashes: readonly string[];
  readonly peakMegabytes: number;
  /** Whether the reads at the end came from Parquet. */
  readonly evicted: boolean;
}

/** Bytes of values in one batch of frames.py. */
const batchBytes = 96 * 1024 * (8 + 8 + 8 + 4.125 + 16);
/** A gigabyte takes half a minute to transcode on a free core. There may be none: transcoding yields to other work. */
const transcodeMsPerGigabyte = 300_000;
const clientMsPerGigabyte = 60_000;
const clientMs = 60_000;

/**
 * A frame larger than memory should matter to nobody: put over Flight and over HTTP, read back over both, transcoded, evicted, read
 * again over both.
 */
export async function largeFrame(
  gigabytes: number,
  options: FrameholdOptions,
  say: (line: string) => void,
): Promise<LargeFrameReport> {
  checkRoom(gigabytes);
  // Less than one frame: each is evicted once it has a Parquet form, and only then.
  const flags = [...(options.flags ?? []), '--cache-size', String(gigabytes / 100)];
  const server = await WatchedServer.start({ ...options, flags });
  const phases: PhaseFigures[] = [];
  const hashes: string[] = [];
  const batches = Math.max(1, Math.round((gigabytes * 1e9) / batchBytes));
  const { url, grpcUrl } = server.framehold;

  const client = async (mode: string, name: string): Promise<void> => {
    const args = [mode, mode.endsWith('flight') ? grpcUrl : url, name];
    if (mode.startsWith('put')) args.push(String(batches));
    const timeoutMs = clientMs + gigabytes * clientMsPerGigabyte;
    const script = join(import.meta.dirname, 'frames.py');
    const { figures, result } = await server.phase(
      `${mode} ${name}`,
      () => runPython([script, ...args], null, timeoutMs) as Promise<ClientReport>,
    );
    phases.push({ ...figures, seconds: result.seconds });
    hashes.push(result.hash);
    say(phaseLine({ ...figures, seconds: result.seconds }, result.bytes));
  };
  try {
    await client('put-flight', 'flown');
    await client('get-flight', 'flown');
    await client('get-http', 'flown');
    await client('put-http', 'posted');
    const { figures } = await server.phase('transcode and evict both', () => evicted(server, 2, gigabytes));
    phases.push(figures);
    say(phaseLine(figures, 2 * gigabytes * 1e9));
    for (const mode of ['get-flight', 'get-http']) await client(mode, 'flown');
    await client('get-http', 'posted');
    const peak = peakMegabytes(server.framehold.pid);
    return { phases, hashes, peakMegabytes: peak, evicted: true };
  } finally {
    await server.stop();
  }
}

async function evicted(server: WatchedServer, parts: number, gigabytes: number): Promise<void> {
  const deadline = Date.now() + clientMs + parts * gigabytes * transcodeMsPerGigabyte;
  while ((await server.metric('framehold_evicted_parts_total')) < parts) {
    if (Date.now() > deadline) throw new Error('the frames were not transcoded and evicted in time');
    await sleep(200);
  }
}

/** Two frames as Arrow, and once more as Parquet beside them. */
function checkRoom(gigabytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const needed = gigabytes * 4e9;
  if (bavail * bsize < needed)
    throw new Error(`${tmpdir()} has ${(bavail * bsize) / 1e9} GB free, and this needs ${needed / 1e9} GB`);
}
