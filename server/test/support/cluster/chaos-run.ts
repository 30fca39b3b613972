import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../history/operation.ts';
import { runPython } from '../python.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';

export interface ChaosOptions {
  readonly url: string;
  readonly grpcUrl: string;
  readonly seconds: number;
  readonly seed: number;
  readonly clients?: number;
  /** Frames that they share: few, so that they meet. */
  readonly frames?: number;
}

export interface ChaosRun {
  readonly operations: readonly Operation[];
  /** Answers that no caller should get. */
  readonly unexpected: readonly string[];
  /** Tries that had no answer. */
  readonly retries: number;
  /** Why, the most frequent first. */
  readonly reasons: readonly (readonly [text: string, count: number])[];
  /** Versions that were read when everything was over. */
  readonly final: number;
}

const script = join(import.meta.dirname, '..', '..', '..', '..', 'e2e', 'cluster', 'chaos_client.py');

/** Runs the clients; meanwhile `disturb` does harm, until its signal. What is left is read after it has returned. */
export async function runChaos(
  { url, grpcUrl, seconds, seed, clients = 16, frames = 12 }: ChaosOptions,
  disturb: (signal: AbortSignal) => Promise<void>,
): Promise<ChaosRun> {
  const folder = temporaryFolder('chaos');
  const [history, stop] = [join(folder, 'history'), join(folder, 'stop')];
  const over = new AbortController();
  try {
    const working = runPython(
      [script],
      {
        ...{ url, grpc: grpcUrl, seconds, seed, clients, history, stop, pause: 0.1 },
        names: Array.from({ length: frames }, (_, number) => `frame_${number}`),
      },
      (seconds + 900) * 1_000,
    );
    // Whoever fails first says why.
    working.catch(() => over.abort());
    const timer = setTimeout(() => over.abort(), seconds * 1_000);
    await disturb(over.signal);
    clearTimeout(timer);
    writeFileSync(stop, '');
    const said = (await working) as Omit<ChaosRun, 'operations'>;
    const lines = readFileSync(history, 'utf8').split('\n').filter(Boolean);
    return { ...said, operations: lines.map((line) => JSON.parse(line) as Operation) };
  } finally {
    removeFolder(folder);
  }
}
