import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonCommand } from '../../server/test/support/python.ts';

export interface CppServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** pyarrow's own Flight server: serves one file, and keeps puts in a folder. */
export async function startCpp(folder: string, source: string): Promise<CppServer> {
  const script = join(import.meta.dirname, 'cpp_server.py');
  const child = spawn(pythonCommand, [script, folder, source], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.pid === undefined) throw new Error(`cannot start ${pythonCommand}`);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: (JSON.parse(line.toString()) as { grpc: string }).grpc,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

export interface ClientReport {
  readonly seconds: number;
  readonly bytes: number;
}

export async function runClient(...args: readonly string[]): Promise<ClientReport> {
  const script = join(import.meta.dirname, 'client.py');
  const { stdout } = await promisify(execFile)(pythonCommand, [script, ...args], { timeout: 300_000 });
  return JSON.parse(stdout) as ClientReport;
}
