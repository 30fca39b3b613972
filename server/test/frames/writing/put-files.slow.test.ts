import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { readBatch } from '../../../src/arrow/batches/batch.ts';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { outcomeUnknown } from '../../../src/catalog/refusals.ts';
import { Compaction } from '../../../src/frames/background/compaction.ts';
import type { PutTarget } from '../../../src/frames/frames.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import type { TenantQuota } from '../../../src/model/limits/tenant-limit-values.ts';
import { type IpcPiece, splitStream } from '../../../src/parquet/ipc-piece.ts';
import { openParquet } from '../../../src/parquet/read-parquet.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { ResultFolder } from '../../../src/ports/result-folders.ts';
import { DiskResultFolders } from '../../../src/store/disk-result-folders.ts';
import { type Fault, faultyPort } from '../../support/faulty-port.ts';
import { arrowBytes } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';
import { plainParquet, resultPath, schemaMessage, writeResult } from './result-files.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('put-files');
const { tenant } = openCaller;
const catalogFaults = new Map<keyof Catalog, Fault>();
let quota: TenantQuota | null = null;
let clock: number | null = null;
const core = await openCore(folder, {
  wrapCatalog: (catalog) => faultyPort(catalog, catalogFaults),
  quotaOf: () => quota,
  now: () => clock ?? Date.now(),
});
const { catalog, store, frames, results, collection } = core;

const columns = (from: number, to: number) =>
  `pa.table({'n': pa.array(range(${from}, ${to}), pa.int64()), 's': pa.array([str(x) for x in range(${from}, ${to})], pa.string())})`;
const { first, second, third, empty, texts, duration, wider } = await plainParquet({
  first: columns(0, 2_500),
  second: columns(2_500, 2_501),
  third: columns(2_501, 5_000),
  empty: columns(0, 0),
  texts: "pa.table({'n': ['a'], 's': ['b']})",
  duration: "pa.table({'n': pa.array([1], pa.int64()), 's': pa.array([1], pa.int32())})",
  wider: "pa.table({'n': pa.array([1], pa.int64()), 's': ['b'], 'more': ['c']})",
});
const { stream } = await arrowBytes({ stream: columns(0, 3) });
const schema = await schemaMessage(columns(0, 1));

after(() => core.close());
/** However a put ended. */
afterEach(async () => {
  catalogFaults.clear();
  quota = null;
  assert.deepEqual(readdirSync(join(folder, 'cold', '.tmp')), [], 'something is still staged');
  assert.deepEqual(readdirSync(join(folder, 'attempts', tenant)), [], 'a result is left');
  assert.deepEqual(await unknownKeys(), [], 'an object is left that nothing has');
});

async function storedKeys(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const keys of store.list()) found.push(...keys);
  return found;
}

async function unknownKeys(): Promise<readonly string[]> {
  const stored = await storedKeys();
  const known = new Set(await catalog.known(stored));
  return stored.filter((key) => !known.has(key));
}

const targetOf = (name: string, mode: PutTarget['mode'] = 'create'): PutTarget => ({
  name,
  mode,
  format: 'arrow',
  originFormat: 'sql',
  query: { text: 'select', sources: [] },
});

/** Puts a result, as a statement does. */
async function put(
  target: PutTarget,
  files: readonly Uint8Array[],
  options: {
    change?: (result: ResultFolder) => ResultFolder;
    signal?: AbortSignal;
    schema?: Uint8Array;
  } = {},
) {
  const { change = (same: ResultFolder) => same, signal = never } = options;
  const session = await frames.beginPutFiles(openCaller, target, options.schema ?? schema, signal);
  const result = await results.create(tenant);
  try {
    writeResult(result.address, files);
    return await session.finish(change(result));
  } finally {
    await result.remove();
    await session.abort();
  }
}

async function putArrow(name: string, mode: 'create' | 'append'): Promise<void> {
  const session = await frames.beginPut(
    openCaller,
    { ...targetOf(name, mode), originFormat: 'arrow' },
    never,
  );
  await session.write([stream]);
  await session.finish();
}

async function refused(work: Promise<unknown>, kind: ErrorKind, text?: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof FrameholdError, String(error));
    assert.equal(error.kind, kind, error.message);
    if (text !== undefined) assert.match(error.message, text);
    return true;
  });
}

/** The values of the column n. */
async function valuesOf(name: string): Promise<number[]> {
  const reading = await frames.read(openCaller, { name, version: null }, {}, never);
  try {
    const values: number[] = [];
    for (const { kind, paths } of reading.sources)
      for (const path of paths)
        values.push(
          ...(kind === 'parquet' ? await parquetNumbers(path) : numbersOf(splitStream(readFileSync(path)))),
        );
    return values;
  } finally {
    reading.release();
  }
}

async function parquetNumbers(path: string): Promise<number[]> {
  await using file = await openParquet(path);
  const values: number[] = [];
  for await (const pieces of file.batches())
    values.push(...numbersOf({ schemaHeader: file.schemaHeader, pieces }));
  return values;
}

/** Of the first column, which has 64-bit integers. */
function numbersOf({
  schemaHeader,
  pieces,
}: {
  schemaHeader: Uint8Array;
  pieces: readonly IpcPiece[];
}): number[] {
  const schema = parseMessage(schemaHeader);
  assert.equal(schema.kind, 'schema');
  return pieces.flatMap(({ header, body }) => {
    const message = parseMessage(header);
    assert.ok(message.kind === 'record-batch' && schema.kind === 'schema');
    const batch = readBatch(schema.schema.fields, message.batch, body, new Map());
    const bytes = Uint8Array.from(batch.columns[0]?.buffers.at(-1) ?? []);
    return Array.from(new BigInt64Array(bytes.buffer, 0, batch.length), Number);
  });
}

test('the files of a result become one part with an exact Parquet form, its rows in the order of the files', async () => {
  const { record, rows, created } = await put(targetOf('f'), [first, second, third]);
  assert.deepEqual([rows, record.rows, created], [5_000, 5_000, true]);
  assert.equal(record.bytes, first.length + second.length + third.length);
  assert.equal(record.origin.kind, 'query');
  const [part, ...others] = await catalog.parts(tenant, 'f', 1);
  assert.deepEqual(others, []);
  assert.deepEqual(
    part?.forms.map(({ kind, exact, objects }) => [kind, exact, objects.length]),
    [['parquet', true, 3]],
  );
  assert.deepEqual(
    await valuesOf('f'),
    Array.from({ length: 5_000 }, (_, index) => index),
  );
  assert.deepEqual(await catalog.untranscoded(10, Number.POSITIVE_INFINITY, Date.now()), []);
  const faults = await store.verify(part?.forms[0]?.objects ?? [], { bytesPerSecond: null, signal: never });
  assert.deepEqual(faults, []);
});

test('a result without rows is a frame without rows, with its columns', async () => {
  const { record, rows } = await put(targetOf('none'), [empty]);
  assert.equal(rows, 0);
  assert.deepEqual(
    record.schema.columns.map(({ name, type }) => `${name} ${type}`),
    ['n LONG', 's STRING'],
  );
});

test('files without rows are left out if others have some', async () => {
  const { rows } = await put(targetOf('some'), [empty, second, empty, third]);
  assert.equal(rows, 2_500);
  const [part] = await catalog.parts(tenant, 'some', 1);
  assert.equal(part?.forms[0]?.objects.length, 2);
});

test('rows are appended behind those of an Arrow part, and Arrow behind them', async () => {
  await putArrow('mixed', 'create');
  const { record, rows } = await put(targetOf('mixed', 'append'), [second]);
  assert.deepEqual([rows, record.rows, record.version], [1, 4, 2]);
  await putArrow('mixed', 'append');
  assert.deepEqual(await valuesOf('mixed'), [0, 1, 2, 2_500, 0, 1, 2]);
});

test('small parts of both kinds are compacted into one', async () => {
  for (let index = 0; index < 10; index++) {
    if (index % 4 !== 1) await putArrow('many', index === 0 ? 'create' : 'append');
    else await put(targetOf('many', 'append'), [second]);
  }
  const before = await valuesOf('many');
  await catalog.sweep(1, null, Date.now());
  assert.equal(await new Compaction(core).run(never), 1);
  await collection.collect(never);
  assert.equal((await catalog.parts(tenant, 'many', 10)).length, 1);
  assert.deepEqual(await valuesOf('many'), before);
});

test('a version is replaced, and what it had goes', async () => {
  await put(targetOf('again'), [first]);
  const { record } = await put(targetOf('again', 'replace'), [second]);
  assert.equal(record.version, 2);
  assert.deepEqual(await valuesOf('again'), [2_500]);
});

describe('a result that cannot be stored leaves nothing behind', () => {
  const cases: [string, readonly Uint8Array[], RegExp][] = [
    [
      'a file that is no Parquet',
      [first, new TextEncoder().encode('PAR1 not really PAR1')],
      /cannot be read/,
    ],
    ['a file that was cut', [first, second.subarray(0, second.length - 20)], /cannot be read/],
    ['a file of other columns', [first, wider], /2 columns before, 3 now/],
    ['a file of other types', [texts], /column "n"/],
    ['a type that the engine writes as another', [duration], /column "s"/],
    ['no files', [], /without files/],
  ];
  for (const [what, files, text] of cases)
    test(what, async () => {
      await refused(put(targetOf('bad'), files), 'engine_failed', text);
      await refused(frames.resolve(openCaller, { name: 'bad', version: null }, never), 'frame_not_found');
    });

  test('damaged pages', async () => {
    const damaged = Uint8Array.from(first);
    damaged.fill(0xff, 200, 400);
    await refused(put(targetOf('bad'), [damaged]), 'engine_failed', /cannot be read/);
  });

  test('a file that changes after it was listed', async () => {
    const change = (result: ResultFolder): ResultFolder => ({
      address: result.address,
      copy: (file, path, signal) => result.copy(file, path, signal),
      remove: () => result.remove(),
      async files() {
        const files = await result.files();
        appendFileSync(join(resultPath(result.address), files[1]?.name ?? ''), 'more');
        return files;
      },
    });
    await refused(put(targetOf('bad'), [first, second], { change }), 'engine_failed', /changed/);
  });

  test('more bytes than the tenant may hold', async () => {
    const { bytes } = await catalog.usage(tenant);
    quota = { framesMax: null, bytesMax: bytes + first.length };
    await refused(put(targetOf('bad'), [first, second]), 'quota_exceeded');
  });

  test('a caller that leaves while files are copied', async () => {
    const left = new AbortController();
    const change = (result: ResultFolder): ResultFolder => ({
      address: result.address,
      files: () => result.files(),
      remove: () => result.remove(),
      copy: async (file, path, signal) => {
        const written = await result.copy(file, path, signal);
        left.abort(new FrameholdError('cancelled', 'The caller disconnected.'));
        return written;
      },
    });
    await refused(put(targetOf('bad'), [first, second], { change, signal: left.signal }), 'cancelled');
  });

  test('a commit that is refused', async () => {
    catalogFaults.set('commit', () =>
      Promise.reject(new FrameholdError('frame_exists', 'The frame exists.')),
    );
    await refused(put(targetOf('bad'), [first]), 'frame_exists');
  });
});

test('a name that is taken is refused before anything is computed', async () => {
  await put(targetOf('taken'), [second]);
  await refused(frames.beginPutFiles(openCaller, targetOf('taken'), schema, never), 'frame_exists');
});

test('columns that changed while the statement ran are a conflict', async () => {
  await putArrow('moving', 'create');
  const session = await frames.beginPutFiles(openCaller, targetOf('moving', 'append'), schema, never);
  const other = await schemaMessage("pa.table({'n': ['a'], 's': ['b']})");
  await put(targetOf('moving', 'replace'), [texts], { schema: other });
  const result = await results.create(tenant);
  writeResult(result.address, [second]);
  await refused(session.finish(result), 'schema_conflict');
  await result.remove();
});

test('objects stay if nobody knows whether they were committed, and the repeated change finds them', async () => {
  for (const [name, times] of [
    ['once', 1],
    ['ever', Number.POSITIVE_INFINITY],
  ] as const) {
    let left = times;
    catalogFaults.set('commit', async (work) => {
      await work();
      if (left-- > 0) throw outcomeUnknown(new Error('the connection was cut'));
      return work();
    });
    const outcome = put(targetOf(name), [first, second]);
    if (times === 1) assert.equal((await outcome).rows, 2_501);
    else await refused(outcome, 'outcome_unknown');
    catalogFaults.clear();
    assert.equal((await valuesOf(name)).length, 2_501);
  }
});

test('a result in use is not removed, however old; one that a killed server left is', async () => {
  const used = await results.create(tenant);
  writeResult(used.address, [first]);
  const left = new DiskResultFolders(join(folder, 'attempts'));
  const lost = await left.create(tenant);
  writeResult(lost.address, [first]);
  await collection.removeOrphans(never);
  assert.equal((await used.files()).length, 1);
  assert.ok(existsSync(resultPath(lost.address)), 'it is young');
  clock = Date.now() + 3 * 24 * 3_600_000;
  await collection.removeOrphans(never);
  clock = null;
  assert.equal((await used.files()).length, 1);
  assert.ok(!existsSync(resultPath(lost.address)));
  assert.ok(core.observations.some((each) => each.event === 'orphans-removed' && each.count === 1));
  await used.remove();
  await left.close();
});
