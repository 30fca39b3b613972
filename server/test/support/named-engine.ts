import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shortJavaOptions } from './java.ts';
import { runPython } from './python.ts';
import { jdbcDriver, repositoryRoot } from './repository.ts';

const java = join(repositoryRoot, 'e2e', 'jdbc', 'NamedEngine.java');
const python = join(repositoryRoot, 'e2e', 'python', 'named_engine.py');
const timeoutMs = 600_000;

type ClientAnswer = { readonly rows: readonly string[] } | { readonly failure: string };

/** A query through a client that people have, unchanged, which names the engine in a header. A value of a row is its text, with `|` between them. */
export type AskClient = (
  grpcUrl: string,
  engine: string,
  sql: string,
  parameter?: number,
) => Promise<ClientAnswer>;

export const askAdbc: AskClient = async (grpcUrl, engine, sql, parameter) =>
  (await runPython([python], { grpc: grpcUrl, engine, sql, parameter }, timeoutMs)) as ClientAnswer;

export const askJdbc: AskClient = async (grpcUrl, engine, sql, parameter) => {
  const { stdout } = await promisify(execFile)(
    'java',
    [
      ...shortJavaOptions,
      '-Xmx256m',
      '-cp',
      jdbcDriver,
      java,
      new URL(grpcUrl).host,
      engine,
      sql,
      ...(parameter === undefined ? [] : [String(parameter)]),
    ],
    { timeout: timeoutMs },
  );
  const lines = stdout.split('\n').filter((line) => line !== '');
  const [first = ''] = lines;
  return first.startsWith('failed: ') ? { failure: first } : { rows: lines };
};
