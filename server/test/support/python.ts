import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { partsFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export const pythonCommand = join(partsFolder, 'venv', 'bin', 'python');
/** With what reads files by their URL: DuckDB's extension for HTTP is there for another version of DuckDB than that of the other tests. */
export const fileReadersPython = join(partsFolder, 'files', 'bin', 'python');

/**
 * Runs what follows as `python` would, and leaves at once when it has ended: threads of pyarrow that are still about make an interpreter that
 * tidies up abort now and then ("terminate called without an active exception"), after all work was done.
 */
const runAndLeave = `
import os, runpy, sys, traceback
arguments = sys.argv[1:]
code = 0
try:
    if arguments[0] == '-c':
        sys.argv = ['-c', *arguments[2:]]
        exec(compile(arguments[1], '<script>', 'exec'), {'__name__': '__main__'})
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name='__main__')
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    if code and not isinstance(end.code, int):
        print(end.code, file=sys.stderr)
except BaseException:
    traceback.print_exc()
    code = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
`;

/** Runs a script with a JSON value on its standard input; its last line of output is the JSON answer. */
export async function runPython(
  args: readonly string[],
  input: unknown,
  timeoutMs = 900_000,
  command = pythonCommand,
): Promise<unknown> {
  const child = spawn(command, ['-c', runAndLeave, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A script that failed early no longer reads: its exit code says more than the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(input));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const text = Buffer.concat(out).toString('utf8');
  if (code !== 0)
    throw new Error(`python ended with ${code}:\n${Buffer.concat(err).toString('utf8')}\n${text}`);
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return JSON.parse(last);
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
