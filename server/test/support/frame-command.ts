import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { serverCommand } from './framehold-process.ts';
import { eventually } from './patience.ts';
import { runPython } from './python.ts';

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; without it there is none. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Closes the reading end of standard output after so many bytes, as `head` does. */
  readonly readBytesMax?: number;
  /** Sends SIGINT, as Ctrl-C does, as soon as this is true. */
  readonly interruptWhen?: () => boolean | Promise<boolean>;
  readonly command?: readonly [string, ...string[]];
}

export interface RanCommand {
  readonly code: number | null;
  readonly output: Buffer;
  /** The same as text. */
  readonly text: string;
  readonly errors: string;
}

/** Runs `framehold …` to its end, with pipes for everything. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<RanCommand> {
  const [command, ...first] = options.command ?? serverCommand;
  const child = spawn(command, [...first, ...args], {
    env: commandEnvironment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk);
    bytes += chunk.length;
    if (options.readBytesMax !== undefined && bytes >= options.readBytesMax) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  // It may end without reading all of it.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (options.interruptWhen !== undefined) {
    const { interruptWhen } = options;
    await eventually(
      'the moment to interrupt it',
      async () => (await interruptWhen()) || child.exitCode !== null,
    );
    child.kill('SIGINT');
  }
  const code = await closed;
  const whole = Buffer.concat(output);
  return { code, output: whole, text: whole.toString(), errors: Buffer.concat(errors).toString() };
}

export interface TerminalStep {
  /** Waited for behind what was waited for before. */
  readonly expect?: string;
  readonly send?: string;
}

/** Runs `framehold …` on a pseudo-terminal, where a person types. */
export async function runOnTerminal(
  args: readonly string[],
  steps: readonly TerminalStep[],
  options: Pick<CommandOptions, 'env' | 'cwd' | 'command'> & { readonly columns?: number },
): Promise<{ readonly shown: string; readonly code: number }> {
  const script = join(import.meta.dirname, '..', '..', '..', 'e2e', 'python', 'terminal.py');
  return (await runPython([script], {
    command: [...(options.command ?? serverCommand), ...args],
    env: { TERM: 'xterm', ...commandEnvironment(options.env) },
    cwd: options.cwd ?? '/',
    columns: options.columns ?? 80,
    steps,
  })) as { shown: string; code: number };
}

function commandEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const cache = process.env.NODE_COMPILE_CACHE;
  return { PATH: process.env.PATH ?? '', ...(cache ? { NODE_COMPILE_CACHE: cache } : {}), ...env };
}
