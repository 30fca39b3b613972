import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EndedScript, runInFork } from './python/forked-script.ts';
import { partsFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export const pythonCommand = join(partsFolder, 'venv', 'bin', 'python');
/** With what reads files by their URL: DuckDB's extension for HTTP is there for another version of DuckDB than that of the other tests. */
export const fileReadersPython = join(partsFolder, 'files', 'bin', 'python');

const runScript = join(import.meta.dirname, 'python', 'python_script.py');

/**
 * Runs a script with a JSON value on its standard input; its last line of output is the JSON answer. Within a run of tests it is a fork of one
 * Python for all of them, unless it wants an interpreter of its own.
 */
export async function runPython(
  args: readonly string[],
  input: unknown,
  timeoutMs = 900_000,
  command = pythonCommand,
): Promise<unknown> {
  const text = JSON.stringify(input);
  const forked = command === pythonCommand ? await runInFork(args, text, { timeoutMs }) : null;
  return answerOf(forked ?? (await runByItself(command, args, text, timeoutMs)));
}

/** The same in an interpreter that nothing was imported into: for a script that measures its own memory, or that of what it starts. */
export async function runPythonByItself(args: readonly string[], input: unknown): Promise<unknown> {
  return answerOf(await runByItself(pythonCommand, args, JSON.stringify(input), 900_000));
}

async function runByItself(
  command: string,
  args: readonly string[],
  input: string,
  timeoutMs: number,
): Promise<EndedScript> {
  const child = spawn(command, [runScript, ...args], { stdio: ['pipe', 'pipe', 'pipe'], timeout: timeoutMs });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A script that failed early no longer reads: its exit code says more than the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, output: Buffer.concat(out).toString('utf8'), errors: Buffer.concat(err).toString('utf8') };
}

function answerOf({ code, output, errors }: EndedScript): unknown {
  if (code !== 0) throw new Error(`python ended with ${code}:\n${errors}\n${output}`);
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

const writeStreams = `
import datetime, decimal, io, json, sys, uuid
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from decimal import Decimal
request = json.load(sys.stdin)
for name, expression in request['tables'].items():
    made = eval(expression)
    if isinstance(made, pa.RecordBatch):
        made = pa.Table.from_batches([made])
    path = request['folder'] + '/' + name
    if request['format'] == 'parquet':
        pq.write_table(made, path)
    else:
        new = pa.ipc.new_file if request['format'] == 'file' else pa.ipc.new_stream
        with new(path, made.schema) as writer:
            writer.write_table(made)
print('null')
`;

/** Tables written by pyarrow, from Python expressions: `pa.table({'a': pa.array([1], pa.int64())})`. */
export async function arrowBytes<Name extends string>(
  tables: Readonly<Record<Name, string>>,
  format: 'stream' | 'file' | 'parquet' = 'stream',
): Promise<Record<Name, Buffer<ArrayBuffer>>> {
  const folder = temporaryFolder('tables');
  try {
    await runPython(['-c', writeStreams], { folder, format, tables });
    const entries = Object.keys(tables).map((name) => [name, readFileSync(join(folder, name))]);
    return Object.fromEntries(entries) as Record<Name, Buffer<ArrayBuffer>>;
  } finally {
    removeFolder(folder);
  }
}

const readStreams = `
import io, json, sys
import pyarrow as pa
request = json.load(sys.stdin)
import base64
data = base64.b64decode(request['bytes'])
if request['format'] == 'parquet':
    import pyarrow.parquet as pq
    table = pq.read_table(io.BytesIO(data))
elif request['format'] == 'file':
    table = pa.ipc.open_file(data).read_all()
else:
    table = pa.ipc.open_stream(data).read_all()
print(json.dumps({'schema': str(table.schema), 'rows': table.num_rows, 'values': table.to_pydict()}, default=str))
`;

export interface ReadTable {
  readonly schema: string;
  readonly rows: number;
  readonly values: Readonly<Record<string, unknown[]>>;
}

/** What pyarrow reads out of these bytes. */
export async function readArrow(
  bytes: Uint8Array,
  format: 'stream' | 'file' | 'parquet' = 'stream',
): Promise<ReadTable> {
  const request = { bytes: Buffer.from(bytes).toString('base64'), format };
  return (await runPython(['-c', readStreams], request)) as ReadTable;
}
