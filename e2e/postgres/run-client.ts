import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { patienceMs } from '../../server/test/support/patience.ts';

/** What came of one feature of a client. */
interface Result {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly error?: string;
  readonly sqlstate?: string | null;
}

export type Results = ReadonlyMap<string, Result>;

export interface Program {
  readonly command: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A feature takes a second or two, on a busy machine half a minute; one that hangs is ended, and the others are run without it. */
const featureLimitMs = 90_000;
/** With every feature hanging, a client would take an hour. */
const hungMax = 4;

/** Runs a client's program until each of its features has a result. */
export async function runClient(program: (skipped: readonly string[]) => Program): Promise<Results> {
  const results = new Map<string, Result>();
  for (let hung = 0; ; ) {
    const { code, current, text } = await runOnce(program([...results.keys()]), results);
    if (current === null && code === 0) return results;
    if (current === null) throw new Error(`the client ended with ${code}:\n${text}`);
    // What it was doing when it was ended, or when it ended itself.
    results.set(current, {
      ok: false,
      error: code === null ? 'no answer' : `the client ended with ${code}: ${text}`,
    });
    hung += 1;
    if (hung > hungMax) throw new Error(`${hung} features had no answer, at last ${current}:\n${text}`);
  }
}

interface Ended {
  /** Null if the program was ended because a feature took too long. */
  readonly code: number | null;
  readonly current: string | null;
  readonly text: string;
}

async function runOnce({ command, words, env }: Program, results: Map<string, Result>): Promise<Ended> {
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TZ: 'UTC', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let current: string | null = null;
  let ended = false;
  const errors: string[] = [];
  const end = () => {
    ended = true;
    child.kill('SIGKILL');
  };
  // Java compiles first, and Python loads libraries.
  let limit = setTimeout(end, patienceMs);
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line);
    // The newest lines say what went wrong.
    if (errors.length > 50) errors.shift();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    clearTimeout(limit);
    limit = setTimeout(end, featureLimitMs);
    const said = JSON.parse(line) as { readonly begins?: string; readonly feature?: string } & Result;
    if (said.begins !== undefined) current = said.begins;
    if (said.feature === undefined) return;
    const { feature, ...result } = said;
    results.set(feature, result);
    current = null;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(limit);
  return { code: ended ? null : (code ?? -1), current, text: errors.join('\n') };
}
