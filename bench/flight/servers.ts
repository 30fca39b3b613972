import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const python = join(root, '.parts', 'venv', 'bin', 'python');
/** The kernel counts processor time in hundredths of a second on every Linux that Node runs on. */
const ticksPerSecond = 100;
const startTimeoutMs = 20_000;

/** A server under measurement. */
export class MeasuredServer {
  readonly name: string;
  readonly url: string;
  readonly #process: ChildProcess;

  constructor(name: string, url: string, process: ChildProcess) {
    this.name = name;
    this.url = url;
    this.#process = process;
  }

  /** Processor seconds used so far. */
  get cpuSeconds(): number {
    const fields = this.#read('stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** The most memory it has had since `resetPeak`, in MB. */
  get peakMegabytes(): number {
    return (Number(/VmHWM:\s+(\d+)/.exec(this.#read('status'))?.[1]) * 1024) / 1e6;
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.#process.pid}/clear_refs`, '5');
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill();
    await closed;
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#process.pid}/${file}`, 'utf8');
  }
}

export async function startCpp(folder: string, source: string): Promise<MeasuredServer> {
  const script = join(import.meta.dirname, 'cpp_server.py');
  const child = spawn(python, [script, folder, source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return new MeasuredServer('C++', (JSON.parse(line.toString()) as { grpc: string }).grpc, child);
}

export async function startFramehold(folder: string): Promise<MeasuredServer> {
  const ready = join(folder, 'ready.json');
  // As it is installed: from source each thread would carry a TypeScript compiler.
  const main = join(root, 'server', 'dist', 'main.js');
  const where = ['--grpc-host', '127.0.0.1', '--grpc-port', '0', '--http-bind-address', '127.0.0.1:0'];
  // Settling would compete for the same processors in its own time; it is measured elsewhere.
  const rest = ['--data-dir', join(folder, 'data'), '--ready-file', ready, '--settle-threads', '0'];
  const child = spawn(process.execPath, [main, 'server', ...where, ...rest], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const deadline = Date.now() + startTimeoutMs; !existsSync(ready); ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('Framehold did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return new MeasuredServer(
    'Framehold',
    (JSON.parse(readFileSync(ready, 'utf8')) as { grpc: string }).grpc,
    child,
  );
}

export interface ClientReport {
  readonly seconds: number;
  readonly bytes: number;
}

export async function runClient(...args: readonly string[]): Promise<ClientReport> {
  const script = join(import.meta.dirname, 'client.py');
  const { stdout } = await promisify(execFile)(python, [script, ...args], { timeout: 300_000 });
  return JSON.parse(stdout) as ClientReport;
}
