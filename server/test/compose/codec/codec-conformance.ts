import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { CheckReport, Codec, CsvOptions, UploadFormat } from '../../../src/ports/codec.ts';
import { withOtherIds } from '../../arrow/other-dictionary-ids.ts';
import { eventually } from '../../support/patience.ts';
import { arrowBytes, runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const streams = await arrowBytes({
  plain:
    "pa.table({'id': pa.array(range(100000)), 's': pa.array([None if k % 3 == 0 else f'v{k}' for k in range(100000)])})",
  other: "pa.table({'id': pa.array([1.5]), 's': pa.array(['x'])})",
  whole: "pa.table({'s': pa.array(['x', None]).dictionary_encode(), 'id': pa.array([1.0, 2.0])})",
  required:
    "pa.table([pa.array([1]), pa.array(['x'])], schema=pa.schema([pa.field('id', pa.int64(), nullable=False), pa.field('s', pa.string())]))",
  symbols:
    "pa.table({'n': pa.array([1, 2, 3]), 'a': pa.array(['x', 'y', None]).dictionary_encode(), 'b': pa.array(['p', 'q', 'p']).dictionary_encode()})",
  moreSymbols:
    "pa.table({'n': pa.array([4, 5]), 'a': pa.array(['x', 'z']).dictionary_encode(), 'b': pa.array(['k', 'l']).dictionary_encode()})",
  union:
    "pa.table({'v': pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(['a', 'b'])])})",
});
const files = await arrowBytes(
  { plain: "pa.table({'id': pa.array(range(50000)), 's': pa.array(['€'] * 50000).dictionary_encode()})" },
  'file',
);
const parquets = await arrowBytes(
  {
    plain:
      "pa.table({'id': pa.array(range(300000)), 't': pa.array(range(300000), pa.timestamp('ns', 'Europe/Berlin')), 'l': pa.array([[k, None] for k in range(300000)])})",
    view: "pa.table({'s': pa.array(['a', None], pa.string_view()), 'd': pa.array(['x', 'y']).dictionary_encode()})",
  },
  'parquet',
);

const sameTables = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
def read(path):
    if path.endswith('.parquet'): return pq.read_table(path)
    if path.endswith('.arrow'): return pa.ipc.open_file(path).read_all()
    return pa.ipc.open_stream(path).read_all()
print(json.dumps([read(a).equals(read(b)) for a, b in json.load(sys.stdin)]))
`;

/** What every codec must do. `open` makes one that the suite closes. */
export function testCodec(name: string, open: () => Codec): void {
  const codec = open();
  const folder = temporaryFolder('codec');
  after(() => codec.close());
  const never = new AbortController().signal;
  let count = 0;
  const file = (bytes: string | Uint8Array, suffix = 'arrows'): string => {
    const path = join(folder, `${count++}.${suffix}`);
    writeFileSync(path, bytes);
    return path;
  };
  const check = (bytes: Uint8Array): Promise<CheckReport> => codec.check(file(bytes)).finish(bytes.length);
  const decode = async (format: UploadFormat, source: string, csv: CsvOptions = {}): Promise<string> => {
    const target = file('');
    await codec.decode({ format, source, target, csv }, never);
    return target;
  };
  const refuses = (promise: Promise<unknown>, kind: string, text: RegExp) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof FrameholdError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, text);
      return true;
    });

  test(`${name}: a check follows a file that grows, and reports`, async () => {
    const path = file('');
    const run = codec.check(path);
    for (let done = 0; done < streams.plain.length; done += 400_000) {
      writeFileSync(path, streams.plain.subarray(done, done + 400_000), { flag: 'a' });
      run.advance(Math.min(streams.plain.length, done + 400_000));
    }
    const report = await run.finish(streams.plain.length);
    assert.equal(report.rows, 100_000);
    assert.equal(report.bytes, streams.plain.length);
    assert.equal(report.sha256, createHash('sha256').update(streams.plain).digest('hex'));
    assert.deepEqual(report.schema.columns, [
      { name: 'id', type: 'LONG' },
      { name: 's', type: 'STRING' },
    ]);
    assert.equal(report.schema.hash, createHash('sha256').update(report.schema.message).digest('hex'));
    run.cancel();
  });

  test(`${name}: a fault is reported before the file is whole`, async () => {
    const bytes = Buffer.concat([streams.plain.subarray(0, 8), Buffer.alloc(4_000_000)]);
    const run = codec.check(file(bytes));
    run.advance(bytes.length);
    const failure = await run.failed;
    assert.equal(failure.kind, 'bad_body');
    await refuses(run.finish(bytes.length), 'bad_body', /not a valid Arrow IPC stream/);
  });

  test(`${name}: what is not a whole stream is refused`, async () => {
    await refuses(check(new Uint8Array(0)), 'bad_body', /empty/);
    await refuses(check(streams.plain.subarray(0, streams.plain.length - 8)), 'bad_body', /end-of-stream/);
    await refuses(check(streams.plain.subarray(0, 1_000_000)), 'bad_body', /cut/);
    await refuses(check(Buffer.concat([streams.plain, Buffer.from('x')])), 'bad_body', /after the end/);
    await refuses(check(files.plain), 'bad_body', /not a valid Arrow IPC stream/);
  });

  test(`${name}: a check that is given up ends, before and after it began`, async () => {
    const path = file(streams.plain);
    const early = codec.check(path);
    early.cancel();
    assert.equal((await early.failed).kind, 'cancelled');
    const late = codec.check(path);
    late.advance(1_000);
    // It has begun by the time at which one that came later has ended.
    await check(streams.plain);
    late.cancel();
    await refuses(late.finish(streams.plain.length), 'cancelled', /disconnected/);
    const done = codec.check(path);
    await done.finish(streams.plain.length);
    done.cancel();
  });

  test(`${name}: many checks at once`, async () => {
    const reports = await Promise.all(Array.from({ length: 40 }, () => check(streams.plain)));
    assert.equal(new Set(reports.map((report) => report.sha256)).size, 1);
  });

  test(`${name}: reconcile takes the same columns, widens nullable, refuses others`, async () => {
    const [plain, other, required] = await Promise.all([
      check(streams.plain),
      check(streams.other),
      check(streams.required),
    ]);
    assert.deepEqual(await codec.reconcile(plain.schema, plain.schema), {
      schema: plain.schema,
      renumber: false,
      convert: false,
      readsParts: false,
    });
    const kept = await codec.reconcile(plain.schema, required.schema);
    assert.equal(kept.schema.hash, plain.schema.hash);
    const widened = await codec.reconcile(required.schema, plain.schema);
    assert.notEqual(widened.schema.hash, required.schema.hash);
    assert.equal(widened.renumber, false);
    assert.deepEqual(widened.schema.columns, required.schema.columns);
    const symbols = await check(streams.symbols);
    await refuses(codec.reconcile(plain.schema, symbols.schema), 'schema_conflict', /missing: "id", "s"/);
    assert.equal((await codec.reconcile(plain.schema, other.schema)).convert, true);
  });

  test(`${name}: convert gives a stream the types of another, or names what does not fit`, async () => {
    const plain = await check(streams.plain);
    const required = await check(streams.required);
    const convert = async (added: Uint8Array): Promise<string> => {
      const target = file('');
      await codec.convert({ source: file(added), target, schema: plain.schema, partFiles: [] }, never);
      return target;
    };
    const target = await convert(streams.whole);
    assert.equal((await codec.check(target).finish(statSync(target).size)).rows, 2);
    await refuses(convert(streams.other), 'schema_conflict', /Row 1, column "id": 1.5 does not fit int64/);
    const untouched = file('');
    const request = {
      source: file(streams.required),
      target: untouched,
      schema: required.schema,
      partFiles: [],
    };
    assert.deepEqual(await codec.convert(request, never), { written: false });
  });

  test(`${name}: renumber gives a stream the dictionary ids of another`, async () => {
    const base = await check(streams.symbols);
    const swapped = withOtherIds(streams.moreSymbols);
    const source = file(swapped);
    const added = await codec.check(source).finish(swapped.length);
    const { renumber, schema } = await codec.reconcile(base.schema, added.schema);
    assert.equal(renumber, true);
    assert.equal(schema.hash, base.schema.hash);
    const target = file('');
    await codec.renumber(source, target, base.schema, never);
    const again = await codec.check(target).finish(statSync(target).size);
    assert.equal(again.rows, 2);
    assert.equal((await codec.reconcile(base.schema, again.schema)).renumber, false);
    assert.deepEqual(await runPython(['-c', sameTables], [[source, target]]), [true]);
  });

  test(`${name}: Arrow files and Parquet files become the same streams`, async () => {
    const arrow = file(files.plain, 'arrow');
    const parquet = file(parquets.plain, 'parquet');
    const pairs = [
      [arrow, await decode('arrow-file', arrow)],
      [parquet, await decode('parquet', parquet)],
    ];
    assert.deepEqual(await runPython(['-c', sameTables], pairs), [true, true]);
    const view = await decode('parquet', file(parquets.view, 'parquet'));
    const report = await codec.check(view).finish(statSync(view).size);
    assert.equal(report.rows, 2);
  });

  test(`${name}: text becomes streams that pass the check`, async () => {
    const csv = await decode('csv', file('a;b\n1;x\n'), { delimiter: ';', types: { a: 'TINYINT' } });
    assert.deepEqual((await codec.check(csv).finish(statSync(csv).size)).schema.columns, [
      { name: 'a', type: 'BYTE' },
      { name: 'b', type: 'STRING' },
    ]);
    const json = await decode('ndjson', file('{"a":[1],"b":{"c":true}}\n'));
    assert.deepEqual((await codec.check(json).finish(statSync(json).size)).schema.columns, [
      { name: 'a', type: 'ARRAY', dim: 1, elemType: 'LONG' },
      { name: 'b', type: 'STRUCT' },
    ]);
    await refuses(decode('csv', file('a,b\n1\n')), 'bad_body', /Line 2/);
    await refuses(decode('ndjson', file('{"a":}\n')), 'bad_body', /Line 1/);
    await refuses(decode('csv', file('a\n1\n'), { types: { a: 'BLOB' } }), 'bad_request', /BLOB/);
  });

  test(`${name}: a cancelled decode ends`, async () => {
    const abort = new AbortController();
    const source = file(`a,b\n${'1,2\n'.repeat(2_000_000)}`);
    const target = file('');
    const decoding = codec.decode({ format: 'csv', source, target, csv: {} }, abort.signal);
    const refused = refuses(decoding, 'cancelled', /disconnected/);
    await eventually('it has begun', () => statSync(target).size > 0);
    abort.abort(new FrameholdError('cancelled', 'The caller disconnected.'));
    await refused;
  });

  const garbage: readonly (readonly [UploadFormat, Uint8Array])[] = [
    ['arrow-file', files.plain],
    ['parquet', parquets.plain.subarray(0)],
    ['parquet', parquets.view],
    ['csv', Buffer.from(`a,b,"c"\n${'1,"x ""y""",2024-01-01\r\n'.repeat(200)}`)],
    ['ndjson', Buffer.from('{"a":[1,2.5e3,null],"b":{"c":"\\u00e9"},"d":true}\n'.repeat(200))],
  ];
  for (const [index, [format, good]] of garbage.entries()) {
    test(`${name}: damaged ${format} (${index}) is bad_body or a valid stream, never more`, async () => {
      const random = randomFrom(1_000 + index);
      for (let round = 0; round < 8; round++) {
        const bytes = damaged(good, random, round);
        const source = file(bytes);
        const target = file('');
        try {
          await codec.decode({ format, source, target, csv: {} }, AbortSignal.timeout(30_000));
          await codec.check(target).finish(statSync(target).size);
        } catch (thrown) {
          assert.ok(thrown instanceof FrameholdError, String(thrown));
          assert.equal(thrown.kind, 'bad_body', `${thrown.message} ${String(thrown.cause)}`);
        }
      }
    });
  }

  test(`${name}: transcode writes files that give back the rows`, async () => {
    const directory = join(folder, 'transcoded');
    mkdirSync(directory);
    const source = file(streams.plain);
    const { sha256 } = await codec.check(source).finish(streams.plain.length);
    const request = { source, sha256, targetDirectory: directory, targetPrefix: 'p.' };
    const report = await codec.transcode(request, never);
    assert.equal(report.refusal, null);
    assert.equal(report.exact, true);
    assert.deepEqual(
      report.files.map((each) => each.path),
      [join(directory, 'p.0.parquet')],
    );
    assert.deepEqual(await runPython(['-c', sameTables], [[source, report.files[0]?.path]]), [true]);
  });

  test(`${name}: transcode refuses what traps the library, leaves nothing, and goes on`, async () => {
    const directory = join(folder, 'refused');
    mkdirSync(directory);
    const source = file(streams.union);
    const { sha256 } = await codec.check(source).finish(streams.union.length);
    const request = { source, sha256, targetDirectory: directory, targetPrefix: 'p.' };
    for (let round = 0; round < 2; round++) {
      const report = await codec.transcode(request, never);
      assert.match(String(report.refusal), /Parquet cannot hold this frame/);
      assert.deepEqual(report.files, []);
      assert.deepEqual(readdirSync(directory), []);
    }
  });

  test(`${name}: transcode leaves no file if it fails, not even those of a worker that was ended`, async () => {
    const directory = join(folder, 'failed');
    mkdirSync(directory);
    for (const left of ['mine-0', 'mine-1', 'others-0']) writeFileSync(join(directory, left), 'PAR1');
    const request = {
      source: file(streams.plain),
      sha256: '0'.repeat(64),
      targetDirectory: directory,
      targetPrefix: 'mine-',
    };
    await refuses(codec.transcode(request, never), 'frame_damaged', /other bytes/);
    assert.deepEqual(readdirSync(directory), ['others-0']);
  });

  test(`${name}: transcode does not take other bytes than were put`, async () => {
    const request = {
      source: file(streams.plain),
      sha256: 'f'.repeat(64),
      targetDirectory: folder,
      targetPrefix: 'never.',
    };
    await refuses(codec.transcode(request, never), 'frame_damaged', /other bytes/);
    assert.equal(existsSync(join(folder, 'never.0.parquet')), false);
  });
}

function randomFrom(start: number): () => number {
  let seed = start;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** Noise, a cut, changed bytes all over, or changed bytes near the end, where footers are. */
function damaged(good: Uint8Array, random: () => number, round: number): Uint8Array {
  if (round === 0) return Uint8Array.from({ length: 5_000 }, () => Math.floor(random() * 256));
  if (round === 1) return good.subarray(0, Math.floor(good.length * random()));
  const bytes = Uint8Array.from(good);
  const reach = round % 2 === 0 ? bytes.length : Math.min(bytes.length, 2_000);
  for (let change = 0; change < 3 + round * 3; change++)
    bytes[bytes.length - 1 - Math.floor(random() * reach)] = Math.floor(random() * 256);
  return bytes;
}
