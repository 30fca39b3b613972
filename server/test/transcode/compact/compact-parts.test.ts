import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { schemaOf, schemaRecord } from '../../../src/arrow/schema/schema-record.ts';
import { firstHeader, splitStream } from '../../../src/parquet/ipc-piece.ts';
import type { CompactionSource, CompactReport } from '../../../src/ports/codec.ts';
import { compactParts } from '../../../src/transcode/compact/compact-parts.ts';
import { transcodePart } from '../../../src/transcode/to-parquet/transcode-part.ts';
import { arrowBytes, runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('compact');
await runPython([join(import.meta.dirname, '..', 'transcode-cases.py'), folder], null);
const names = readdirSync(folder).map((file) => file.replace('.arrows', ''));
const out = join(folder, 'out');
mkdirSync(out);
const never = new AbortController().signal;

const compare = `
import json, sys
import pyarrow as pa
def read(path): return pa.ipc.open_stream(path).read_all()
def dictionaries(table):
    # As a reader sees them: the values of each chunk that has rows, runs of equal ones once.
    found = []
    for column in table.columns:
        for chunk in column.chunks:
            if len(chunk) and pa.types.is_dictionary(chunk.type):
                entry = [repr(chunk.dictionary.to_pylist()), chunk.type.ordered]
                if not found or found[-1] != entry: found.append(entry)
    return found
def same(a, b):
    # Python has no dates before the year 1, Arrow's NaN does not equal itself: one of the two comparisons works.
    return a.equals(b) or repr(a.to_pylist()) == repr(b.to_pylist())
answers = {}
for name, (compacted, sources) in json.load(sys.stdin).items():
    got = read(compacted)
    tables = [read(source) for source in sources]
    expected = pa.concat_tables(tables)
    got.validate(full=True)
    answers[name] = [
        got.schema.equals(expected.schema, check_metadata=True),
        all(same(a, b) for a, b in zip(got.columns, expected.columns, strict=True)),
        dictionaries(got) == dictionaries(expected),
        got.num_rows,
        sum(table.num_rows for table in tables),
        got.column(0).num_chunks if got.num_columns else 0,
    ]
print(json.dumps(answers))
`;
type Comparison = [
  schema: boolean,
  values: boolean,
  dictionaries: boolean,
  got: number,
  all: number,
  batches: number,
];

function arrowSource(path: string): CompactionSource {
  return { kind: 'arrow', files: [{ path, sha256: hashOf(path) }] };
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function compact(
  schemaFrom: string,
  sources: readonly CompactionSource[],
  target: string,
  targetBytesMax = 1e9,
): Promise<CompactReport> {
  const message = firstHeader(readFileSync(schemaFrom)).slice();
  return compactParts(
    { sources, schema: schemaRecord(message, schemaOf(message)), target, targetBytesMax },
    never,
  );
}

async function compared(
  pairs: Readonly<Record<string, [compacted: string, sources: readonly string[]]>>,
): Promise<Record<string, Comparison>> {
  return (await runPython(['-c', compare], pairs)) as Record<string, Comparison>;
}

function batchesOf(path: string): number[] {
  return splitStream(readFileSync(path)).pieces.flatMap(({ header }) => {
    const message = parseMessage(header);
    return message.kind === 'record-batch' ? [message.batch.length] : [];
  });
}

describe('compacting parts of every type', () => {
  test('gives the same values in the same order, the same schema, the same categories', async () => {
    const pairs: Record<string, [string, string[]]> = {};
    for (const name of names.filter((each) => each !== 'batch_metadata')) {
      const source = join(folder, `${name}.arrows`);
      const target = join(out, `${name}.arrows`);
      const report = await compact(
        source,
        [arrowSource(source), arrowSource(source), arrowSource(source)],
        target,
      );
      assert.equal(report.refusal, null, name);
      pairs[name] = [target, [source, source, source]];
    }
    const answers = await compared(pairs);
    assert.ok(Object.keys(answers).length > 40);
    for (const [name, [schema, values, dictionaries, got, all]] of Object.entries(answers))
      assert.deepEqual([name, schema, values, dictionaries, got], [name, true, true, true, all]);
  });

  test('reads Parquet if the Arrow form is gone', async () => {
    const pairs: Record<string, [string, string[]]> = {};
    for (const name of ['int64', 'string', 'float64', 'timestamp_ns_tz', 'list'].filter((each) =>
      names.includes(each),
    )) {
      const source = join(folder, `${name}.arrows`);
      const transcoded = await transcodePart(
        { source, sha256: hashOf(source), targetDirectory: out, targetPrefix: `${name}.` },
        { algorithm: 'zstd', level: 3 },
        never,
      );
      assert.equal(transcoded.exact, true);
      const target = join(out, `${name}.mixed.arrows`);
      const sources: CompactionSource[] = [arrowSource(source), { kind: 'parquet', files: transcoded.files }];
      assert.equal((await compact(source, sources, target)).refusal, null);
      pairs[name] = [target, [source, source]];
    }
    const answers = await compared(pairs);
    assert.ok(Object.keys(answers).length >= 3, names.join(' '));
    for (const answer of Object.values(answers)) assert.deepEqual(answer.slice(0, 3), [true, true, true]);
  });
});

describe('batches of a compacted part', () => {
  test('small ones become one while the dictionaries are equal, and a new one begins if they differ', async () => {
    const streams = await arrowBytes({
      a: "pa.table({'n': pa.array([1, 2]), 's': pa.DictionaryArray.from_arrays([0, 1], ['x', 'y'])})",
      b: "pa.table({'n': pa.array([3, 4]), 's': pa.DictionaryArray.from_arrays([1, None], ['x', 'y'])})",
      c: "pa.table({'n': pa.array([5, 6]), 's': pa.DictionaryArray.from_arrays([0, 1], ['y', 'x'])})",
    });
    const paths = Object.entries(streams).map(([name, bytes]) => {
      const path = join(out, `${name}.arrows`);
      writeFileSync(path, bytes);
      return path;
    });
    const target = join(out, 'joined.arrows');
    assert.equal((await compact(paths[0] as string, paths.map(arrowSource), target)).refusal, null);
    assert.deepEqual(batchesOf(target), [4, 2]);
    const { joined } = await compared({ joined: [target, paths] });
    assert.deepEqual(joined, [true, true, true, 6, 6, 2]);
  });

  test('they have about two megabytes', async () => {
    const { big } = await arrowBytes({ big: "pa.table({'n': pa.array(range(100000), pa.int64())})" });
    const path = join(out, 'big.arrows');
    writeFileSync(path, big);
    const target = join(out, 'bigger.arrows');
    await compact(
      path,
      Array.from({ length: 10 }, () => arrowSource(path)),
      target,
    );
    assert.deepEqual(batchesOf(target), [300_000, 300_000, 300_000, 100_000]);
  });
});

describe('a part that must stay what it is', () => {
  test('is named: metadata on batches, a result that is too large, another schema', async () => {
    const plain = join(folder, 'int64.arrows');
    const metadata = join(folder, 'batch_metadata.arrows');
    const target = join(out, 'refused.arrows');
    const told = await compact(metadata, [arrowSource(metadata)], target);
    assert.equal(told.refusal?.source, 0);
    assert.match(told.refusal.reason, /metadata/);
    const large = await compact(plain, [arrowSource(plain), arrowSource(plain)], target, 100);
    assert.equal(large.refusal?.source, 1);
    assert.match(large.refusal.reason, /exceeds 100 bytes/);
    const other = await compact(
      plain,
      [arrowSource(plain), arrowSource(join(folder, 'int32.arrows'))],
      target,
    );
    assert.equal(other.refusal?.source, 1);
    assert.match(other.refusal.reason, /schema/);
  });

  test('bytes that have changed since they were put are an error', async () => {
    const path = join(folder, 'int64.arrows');
    const source: CompactionSource = { kind: 'arrow', files: [{ path, sha256: '00' }] };
    await assert.rejects(compact(path, [source], join(out, 'bad.arrows')), /other bytes/);
  });
});
