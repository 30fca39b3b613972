import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writevSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { frameHeader } from '../../server/src/arrow/ipc/framing.ts';
import { arrowSchemaOf, encodeResult } from '../../server/src/engine/duckdb/result/encode-result.ts';
import { pythonCommand } from '../../server/test/support/python.ts';

/**
 * Processor time to turn results of the engine into Arrow IPC, beside the same engine in Python. `node bench/sql/encode.ts [scale] [runs]`: scale 1
 * is 10,000,000 rows of four columns and 1,000,000 rows of twelve, some nested.
 */
const tables: Readonly<Record<string, { readonly rows: number; readonly columns: string }>> = {
  plain: {
    rows: 10_000_000,
    columns: "i, i / 7.0 AS d, '2020-01-01'::TIMESTAMP + to_seconds(i) AS ts, 'name ' || (i % 100000) AS s",
  },
  nested: {
    rows: 1_000_000,
    columns: `i, (i * 7919 % 1000000)::INTEGER AS j, i / 7.0 AS d, (i % 3 = 0) AS b,
      '2020-01-01'::DATE + (i % 10000)::INTEGER AS da, (i / 100)::DECIMAL(12,2) AS de, nullif('text number ' || i, 'text number 5') AS s,
      'a text that is longer than its slot ' || i AS t, CASE WHEN i % 5 > 0 THEN i END AS n, [i, i + 1, i + 2] AS l,
      {'a': i, 'b': 'x' || i} AS st, ['one', 'another text, which is longer'] AS lt`,
  },
};

interface Measured {
  readonly cpuSeconds: number;
  readonly bytes: number;
}

const python = `
import json, resource, sys, warnings
import duckdb
import pyarrow as pa
warnings.simplefilter('ignore')
con = duckdb.connect(config={'threads': 2})
con.execute('SET enable_progress_bar = false')
con.execute(f"CREATE TABLE t AS SELECT {sys.argv[2]} FROM range({sys.argv[1]}) t(i)")
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
before = cpu()
sink = pa.OSFile('/dev/null', 'wb')
reader = con.execute('SELECT * FROM t').fetch_record_batch(65536)
size = 0
with pa.ipc.new_stream(sink, reader.schema) as writer:
    for batch in reader:
        writer.write_batch(batch)
        size += batch.nbytes
print(json.dumps({'cpuSeconds': cpu() - before, 'bytes': size}))
`;

async function measureHere(rows: string, columns: string): Promise<Measured> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE t AS SELECT ${columns} FROM range(${rows}) t(i)`);
  await connection.run("SET streaming_buffer_size = '16MB'");
  const sink = openSync('/dev/null', 'w');
  const before = process.cpuUsage();
  const result = await (await connection.prepare('SELECT * FROM t')).stream();
  let bytes = 0;
  for await (const { header, body, release } of encodeResult(
    result,
    arrowSchemaOf(result.columnNames(), result.columnTypes()),
  )) {
    bytes += writevSync(sink, [frameHeader(header), ...body]);
    release();
  }
  const used = process.cpuUsage(before);
  closeSync(sink);
  return { cpuSeconds: (used.user + used.system) / 1e6, bytes };
}

/** Each run in a process of its own, so that neither profits from what another left. */
function measured(command: string, args: readonly string[]): Measured {
  return JSON.parse(execFileSync(command, [...args], { encoding: 'utf8' })) as Measured;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

if (process.argv[2] === 'here') {
  console.log(JSON.stringify(await measureHere(process.argv[3] ?? '', process.argv[4] ?? '')));
} else {
  const scale = Number(process.argv[2] ?? '0.1');
  const runs = Number(process.argv[3] ?? '3');
  for (const [name, { rows, columns }] of Object.entries(tables)) {
    const size = String(Math.round(rows * scale));
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    for (let run = 0; run < runs; run++) {
      ours.push(measured(process.execPath, [import.meta.filename, 'here', size, columns]));
      theirs.push(measured(pythonCommand, ['-c', python, size, columns]));
    }
    const here = median(ours.map(({ cpuSeconds }) => cpuSeconds));
    const there = median(theirs.map(({ cpuSeconds }) => cpuSeconds));
    console.log(
      `${name} × ${size}: ${here.toFixed(2)} CPU s here, ${there.toFixed(2)} in Python, ratio ${(here / there).toFixed(2)}`,
      `(${((ours[0]?.bytes ?? 0) / 1e6).toFixed(0)} and ${((theirs[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB)`,
    );
  }
}
