import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { arrowBytes, runPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { collect, readingOf } from './sample-frames.ts';

let renderer: WorkerRenderer;
before(() => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
});
after(() => renderer.close());

const folder = temporaryFolder('exported-columns');

/** Within a time limit: what the writer could not do was never answered. */
async function exported(name: string, arrow: Uint8Array): Promise<{ source: string; file: string }> {
  const source = join(folder, `${name}.arrows`);
  const file = join(folder, `${name}.parquet`);
  writeFileSync(source, arrow);
  const options = { format: 'parquet', query: '', quoteLargeNumbers: false } as const;
  const limit = AbortSignal.timeout(20_000);
  writeFileSync(file, await collect(renderer.render(readingOf([source]), options, limit)));
  return { source, file };
}

const readers = `
import base64, json, sys
import duckdb, pandas, pyarrow as pa, pyarrow.parquet as pq
source, file = json.load(sys.stdin)
expected = pa.ipc.open_stream(source).read_all()
read = pq.read_table(file)
print(json.dumps({
    'rows': [expected.num_rows, read.num_rows],
    'different': [name for name in expected.column_names if read[name].to_pylist() != expected[name].to_pylist()],
    'pyarrow': [str(field.type) for field in read.schema],
    'declared': pa.ipc.read_schema(pa.py_buffer(base64.b64decode(pq.read_metadata(file).metadata[b'ARROW:schema']))).equals(expected.schema),
    'duckdb': [row[1] for row in duckdb.sql(f"describe select * from '{file}'").fetchall()],
    'pandas': [str(kind) for kind in pandas.read_parquet(file).dtypes],
}))
`;

test('times in seconds and dates in milliseconds are what pyarrow, pandas and DuckDB know', async () => {
  const { times } = await arrowBytes({
    times: `pa.table({
      'ts': pa.array([1700000000, None, -5, 253402300799], pa.timestamp('s')),
      'tz': pa.array([1700000000, None, -5, -62135596800 + 86400], pa.timestamp('s', 'Europe/Berlin')),
      't': pa.array([3600, None, 5, 86399], pa.time32('s')),
      'd': pa.array([86400000, None, -86400000, 0], pa.date64()),
      'list': pa.array([[1700000000], None, [], [None, 1]], pa.list_(pa.timestamp('s'))),
      'struct': pa.StructArray.from_arrays([pa.array([0, None, 1, 2], pa.time32('s'))], names=['x']),
      'code': pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 0], pa.int8()), pa.array([1700000000, 7], pa.timestamp('s'))),
      'last': pa.array([1, 2, 3, 4]),
    })`,
  });
  const { source, file } = await exported('times', times);
  assert.deepEqual(
    await runPython(
      ['-c', readers.replace('read_table(file)', 'read_table(file, columns=None)')],
      [source, file],
    ),
    {
      rows: [4, 4],
      different: [],
      pyarrow: [
        'timestamp[ms]',
        'timestamp[ms, tz=Europe/Berlin]',
        'time32[ms]',
        'date32[day]',
        'list<item: timestamp[ms]>',
        'struct<x: time32[ms]>',
        'timestamp[ms]',
        'int64',
      ],
      declared: true,
      duckdb: [
        'TIMESTAMP',
        'TIMESTAMP WITH TIME ZONE',
        'TIME',
        'DATE',
        'TIMESTAMP[]',
        'STRUCT(x TIME)',
        'TIMESTAMP',
        'BIGINT',
      ],
      pandas: [
        'datetime64[ms]',
        'datetime64[ms, Europe/Berlin]',
        'object',
        'object',
        'object',
        'object',
        'datetime64[ms]',
        'int64',
      ],
    },
  );
});

test('the last seconds that milliseconds can say come back', async () => {
  const { edge } = await arrowBytes({
    edge: "pa.table({'s': pa.array([9223372036854775, -9223372036854775], pa.timestamp('s'))})",
  });
  const { file } = await exported('edge', edge);
  const count =
    "import json, sys; import pyarrow.parquet as pq; print(json.dumps(pq.read_table(json.load(sys.stdin))['s'].cast('int64').cast('string').to_pylist()))";
  assert.deepEqual(await runPython(['-c', count], file), ['9223372036854775000', '-9223372036854775000']);
});

test('a time that milliseconds or days cannot say is refused, with its column', async () => {
  const frames = await arrowBytes({
    late: "pa.table({'late': pa.array([0, 9223372036854776], pa.timestamp('s'))})",
    early:
      "pa.table({'first': pa.array([1, 2]), 'early': pa.array([0, -9223372036854776], pa.timestamp('s', 'UTC'))})",
    noon: "pa.table({'noon': pa.Array.from_buffers(pa.date64(), 2, pa.array([0, 43200000], pa.int64()).buffers())})",
    far: "pa.table({'far': pa.Array.from_buffers(pa.date64(), 1, pa.array([86400000 * 2**31], pa.int64()).buffers())})",
  });
  for (const [name, arrow] of Object.entries(frames))
    await assert.rejects(exported(name, arrow), (error: unknown) => {
      assert.ok(error instanceof FrameholdError, String(error));
      assert.equal(error.kind, 'not_representable');
      assert.ok(error.message.includes(JSON.stringify(name)), error.message);
      return true;
    });
});

const decimals = `
import decimal, json, sys
import pyarrow as pa, pyarrow.parquet as pq
folder, step = json.load(sys.stdin)
context = decimal.Context(prec=100)
def arrays():
    for bits, most in ((32, 9), (64, 18), (128, 38), (256, 76)):
        for precision in sorted({1, 2, 5, most // 2, most - 1, most}):
            for scale in sorted({0, 1, precision - 1, precision} & set(range(precision + 1))):
                kind = getattr(pa, f'decimal{bits}')(precision, scale)
                most_value = decimal.Decimal(10 ** precision - 1).scaleb(-scale, context)
                for count in (0, 1, 3):
                    for nulls in (False, True):
                        values = [most_value, None if nulls else context.minus(most_value), decimal.Decimal(1).scaleb(-scale, context)][:count]
                        yield f'{bits}-{precision}-{scale}-{count}-{nulls}', pa.field('x', kind, nullable=nulls), pa.array(values, kind)
def tables():
    for name, field, array in arrays():
        yield name + '-first', pa.table([array, pa.array(range(len(array)))], pa.schema([field, ('n', pa.int64())]))
        yield name + '-last', pa.table([pa.array(range(len(array))), array], pa.schema([('n', pa.int64()), field]))
names = []
for name, table in tables():
    if step == 'write':
        with pa.ipc.new_stream(f'{folder}/{name}.arrows', table.schema) as writer: writer.write_table(table)
        names.append(name)
    elif pq.read_table(f'{folder}/{name}.parquet').to_pylist() != table.to_pylist(): names.append(name)
print(json.dumps(names))
`;

test('decimals of every width and precision, in every place, with and without nulls and rows', async () => {
  const names = (await runPython(['-c', decimals], [folder, 'write'])) as string[];
  assert.ok(names.length > 900, `${names.length} frames`);
  const options = { format: 'parquet', query: '', quoteLargeNumbers: false } as const;
  for (const name of names) {
    const reading = readingOf([join(folder, `${name}.arrows`)]);
    const file = await collect(renderer.render(reading, options, AbortSignal.timeout(20_000)));
    writeFileSync(join(folder, `${name}.parquet`), file);
  }
  assert.deepEqual(await runPython(['-c', decimals], [folder, 'compare']), []);
});
