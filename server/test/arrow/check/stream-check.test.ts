import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { DictionaryLengths } from '../../../src/arrow/check/dictionary-lengths.ts';
import { StreamCheck } from '../../../src/arrow/check/stream-check.ts';
import type { ArrowType } from '../../../src/arrow/field.ts';
import { endOfStream, frameHeader } from '../../../src/arrow/ipc/framing.ts';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import {
  arrayOf,
  batchPiece,
  dictionaryPiece,
  encodedField,
  fieldOf,
  int64,
  numbersOf,
  schemaPiece,
  streamOfColumn,
  utf8,
} from '../hand-made.ts';
import { pyarrowStreams } from '../pyarrow-streams.ts';
import { checkBytes, streamOf, syncSource } from '../stream-bytes.ts';

const streams = await pyarrowStreams();

function refuses(bytes: Uint8Array, message: RegExp): void {
  assert.throws(
    () => checkBytes(bytes),
    (thrown) => {
      assert.ok(thrown instanceof MalformedArrow, String(thrown));
      assert.match(thrown.message, message);
      return true;
    },
  );
}

function stream(name: string): Uint8Array {
  return (streams.get(name) ?? assert.fail(name)).bytes;
}

function texts(offsets: number[], data: string | Uint8Array, rest: Partial<ArrayData> = {}): Uint8Array {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return streamOfColumn(arrayOf(fieldOf(utf8), offsets.length - 1, [Int32Array.from(offsets), bytes], rest));
}

describe('the frame of a stream', () => {
  const bytes = stream('numbers');

  it('reports schema, rows and batches', () => {
    const report = checkBytes(bytes);
    assert.equal(report.rows, 8);
    assert.equal(report.batches, 3);
    assert.equal(report.schema.fields[0]?.name, 'bool');
    assert.equal(report.hasBatchMetadata, false);
    assert.deepEqual(report.compressions, ['none']);
    assert.deepEqual(
      Buffer.from(report.schemaHeader),
      Buffer.from(bytes.subarray(8, 8 + report.schemaHeader.length)),
    );
    assert.equal(checkBytes(stream('batch-metadata')).hasBatchMetadata, true);
    assert.deepEqual(checkBytes(stream('everything-zstd')).compressions, ['zstd']);
  });

  it('gives the same answer however the bytes arrive, and shows each byte once', () => {
    const whole = createHash('sha256').update(bytes).digest('hex');
    for (const step of [1, 7, 64, 1000, bytes.length]) {
      const hash = createHash('sha256');
      const check = new StreamCheck(syncSource(bytes), { observe: (piece) => hash.update(piece) });
      for (let available = 0; available < bytes.length; available += step) check.advance(available);
      assert.equal(check.finish(bytes.length).rows, 8);
      assert.equal(hash.digest('hex'), whole);
    }
  });

  it('refuses every cut, and says where', () => {
    for (let length = 1; length < bytes.length; length++)
      refuses(bytes.subarray(0, length), new RegExp(`(is cut at|ends at) byte ${length}\\b`));
    refuses(new Uint8Array(0), /is empty/);
  });

  it('distinguishes a missing end from a cut one, and refuses bytes after the end', () => {
    refuses(bytes.subarray(0, -8), /without its end-of-stream marker/);
    refuses(bytes.subarray(0, -4), /is cut at/);
    refuses(Buffer.concat([bytes, Buffer.from('x')]), /bytes after the end-of-stream marker/);
    refuses(endOfStream, /without a schema/);
  });

  it('refuses other framings and orders', () => {
    refuses(bytes.subarray(4), /before 0\.15/);
    refuses(Buffer.from('ARROW1\0\0PAR1PAR1'), /not an Arrow IPC stream/);
    refuses(Buffer.from('a,b\n1,2\n3,4\n'), /not an Arrow IPC stream/);
    const schema = schemaPiece([fieldOf(int64)]);
    const batch = batchPiece(1, [numbersOf(1)]);
    refuses(streamOf([batch]), /does not begin with a schema/);
    refuses(streamOf([schema, schema]), /a second schema/);
    assert.equal(checkBytes(streamOf([schema, batch, batch])).rows, 2);
  });

  it('limits bodies and headers before it allocates', () => {
    assert.throws(() => checkBytes(stream('long-lz4'), { bodyBytesMax: 1000 }), /at most 1000 are accepted/);
    assert.throws(() => checkBytes(stream('long-lz4'), { unpackedBytesMax: 1000 }), /a batch may have 1000/);
    const huge = frameHeader(new Uint8Array(8));
    new DataView(huge.buffer).setInt32(4, 2 ** 31 - 1, true);
    refuses(huge, /a header of 2147483647 bytes/);
  });
});

describe('buffers', () => {
  it('are long enough', () => {
    refuses(
      streamOfColumn(arrayOf(fieldOf(int64), 2, [new BigInt64Array(1)])),
      /values buffer has 8 bytes, 16/,
    );
    refuses(streamOfColumn(arrayOf(fieldOf({ kind: 'bool' }), 9, [new Uint8Array(1)])), /has 1 bytes, 2/);
    refuses(texts([0], 'x', { length: 1 }), /offsets buffer has 4 bytes, 8/);
    refuses(
      streamOfColumn({ ...numbersOf(1, 2), nullCount: 1, validity: new Uint8Array(0) }),
      /validity bitmap buffer has 0 bytes, 1/,
    );
  });

  it('do not overlap', () => {
    const { header, body } = batchPiece(2, [numbersOf(1, 2), numbersOf(3, 4)]);
    const fields = [fieldOf(int64), fieldOf(int64)];
    checkBytes(streamOf([schemaPiece(fields), { header, body }]));
    const shared = batchPiece(2, [numbersOf(1, 2)]);
    const shrunk = Buffer.from(header);
    const view = new DataView(shrunk.buffer, shrunk.byteOffset, shrunk.length);
    // The second column's values at the first one's, and a body that ends after those.
    for (let position = 0; position + 8 <= shrunk.length; position += 4) {
      if (position % 8 === 0 && view.getBigInt64(position, true) === 64n)
        view.setBigInt64(position, 0n, true);
      else if (position % 8 === 0 && view.getBigInt64(position, true) === 128n)
        view.setBigInt64(position, 16n, true);
    }
    refuses(
      streamOf([schemaPiece(fields), { header: shrunk, body: shared.body.subarray(0, 16) }]),
      /overlaps another one/,
    );
  });

  it('have true null counts', () => {
    const wrong = { nullCount: 1, validity: Uint8Array.of(0b1111) };
    refuses(
      streamOfColumn({ ...numbersOf(1, 2, 3, 4), ...wrong }),
      /1 nulls are announced, the validity bitmap has 0/,
    );
    refuses(
      streamOfColumn({ ...numbersOf(1, 2, 3, 4), nullCount: 0, validity: Uint8Array.of(0b0111) }),
      /0 nulls are announced, the validity bitmap has 1/,
    );
    refuses(streamOfColumn({ ...numbersOf(1), nullCount: 2 }), /2 nulls among 1 values/);
  });

  it('belong to columns as long as the batch', () => {
    const schema = schemaPiece([fieldOf(int64)]);
    refuses(streamOf([schema, batchPiece(3, [numbersOf(1, 2)])]), /2 rows in a batch of 3/);
    refuses(streamOf([schema, batchPiece(1, [numbersOf(1), numbersOf(2)])]), /2 nodes, the schema needs 1/);
    refuses(streamOf([schema, batchPiece(1, [])]), /only 0 nodes/);
  });
});

describe('texts', () => {
  it('have offsets that rise and stay inside', () => {
    checkBytes(texts([0, 1, 3], 'abc'));
    refuses(texts([0, 2, 1], 'abc'), /field "c": offset 2 is smaller than the one before/);
    refuses(texts([-1, 2], 'abc'), /offset 0 is negative/);
    refuses(texts([0, 4], 'abc'), /last offset 4 is beyond the 3 bytes/);
    const large = fieldOf({ kind: 'utf8', large: true });
    refuses(
      streamOfColumn(arrayOf(large, 1, [BigInt64Array.of(0n, 1n << 40n), Buffer.from('a')])),
      /beyond the 1 bytes/,
    );
    refuses(streamOfColumn(arrayOf(large, 1, [BigInt64Array.of(-1n, 1n), Buffer.from('a')])), /smaller than/);
  });

  it('are UTF-8, except under nulls and outside the values', () => {
    const invalid = Uint8Array.of(0x61, 0xff, 0x62);
    refuses(texts([0, 1, 2, 3], invalid), /row 1 is not UTF-8/);
    checkBytes(texts([0, 1, 2, 3], invalid, { nullCount: 1, validity: Uint8Array.of(0b101) }));
    checkBytes(texts([0, 1], invalid));
    checkBytes(texts([0, 2, 4], 'żó'));
    refuses(texts([0, 1, 4], 'żó'), /row 0 is not UTF-8/);
    refuses(texts([0, 3], 'żó'), /row 0 is not UTF-8/);
    checkBytes(
      streamOfColumn(arrayOf(fieldOf({ kind: 'binary', large: false }), 1, [Int32Array.of(0, 3), invalid])),
    );
  });

  it('are inside their buffers as views', () => {
    const data = Buffer.from('a text of twenty-one b');
    const check = (
      view: number[],
      kind: 'utf8-view' | 'binary-view' = 'utf8-view',
      bytes: Uint8Array = data,
    ): void => {
      const words = Int32Array.from(view);
      checkBytes(streamOfColumn(arrayOf(fieldOf({ kind }), 1, [words, bytes])));
    };
    const prefix = data.readInt32LE(0);
    check([20, prefix, 0, 0]);
    check([3, 0x636261, 0, 0]);
    assert.throws(() => check([-1, 0, 0, 0]), /a view of -1 bytes/);
    assert.throws(() => check([20, prefix, 1, 0]), /buffer 1 of 1/);
    assert.throws(() => check([20, prefix, -1, 0]), /buffer -1 of 1/);
    assert.throws(() => check([20, prefix, 0, 3]), /outside its buffer/);
    assert.throws(() => check([20, prefix + 1, 0, 0]), /prefix of a view differs/);
    assert.throws(() => check([3, 0x616263, 1, 0]), /not padded with zeros/);
    assert.throws(() => check([1, 0xff, 0, 0]), /row 0 is not UTF-8/);
    check([1, 0xff, 0, 0], 'binary-view');
    const mixed = Buffer.concat([data, Buffer.of(0xff)]);
    check([20, prefix, 0, 0], 'utf8-view', mixed);
    assert.throws(() => check([23, prefix, 0, 0], 'utf8-view', mixed), /row 0 is not UTF-8/);
    const split = Buffer.from('żżżżżżżżżż');
    assert.throws(() => check([14, split.readInt32LE(1), 0, 1], 'utf8-view', split), /row 0 is not UTF-8/);
  });
});

describe('dictionaries', () => {
  const field = encodedField(utf8);
  const values = arrayOf(fieldOf(utf8), 2, [Int32Array.of(0, 1, 2), Buffer.from('ab')]);
  const codes = (numbers: number[], rest: Partial<ArrayData> = {}) =>
    batchPiece(numbers.length, [arrayOf(field, numbers.length, [Int8Array.from(numbers)], rest)]);
  const schema = schemaPiece([field]);

  it('hold every index that is not null', () => {
    assert.equal(checkBytes(streamOf([schema, dictionaryPiece(1n, values), codes([0, 1])])).rows, 2);
    refuses(
      streamOf([schema, dictionaryPiece(1n, values), codes([0, 2])]),
      /row 1: index 2 is outside dictionary 1 of 2/,
    );
    refuses(streamOf([schema, dictionaryPiece(1n, values), codes([-1])]), /index -1 is outside/);
    checkBytes(
      streamOf([
        schema,
        dictionaryPiece(1n, values),
        codes([99, 1], { nullCount: 1, validity: Uint8Array.of(2) }),
      ]),
    );
  });

  it('grow by deltas and are replaced', () => {
    const delta = dictionaryPiece(1n, values, true);
    checkBytes(streamOf([schema, dictionaryPiece(1n, values), codes([1]), delta, codes([3])]));
    refuses(
      streamOf([schema, dictionaryPiece(1n, values), delta, dictionaryPiece(1n, values), codes([3])]),
      /index 3/,
    );
    refuses(streamOf([schema, delta, codes([0])]), /a delta to dictionary 1, which has no values yet/);
  });

  it('are in the schema and come before their use', () => {
    refuses(streamOf([schema, dictionaryPiece(7n, values)]), /dictionary 7 is not in the schema/);
    refuses(streamOf([schema, codes([0])]), /dictionary 1 did not come before/);
    checkBytes(streamOf([schema, codes([0], { nullCount: 1, validity: Uint8Array.of(0) })]));
    checkBytes(streamOf([schema, codes([])]));
  });

  it('may have indices of 64 bits', () => {
    for (const signed of [true, false]) {
      const wide = encodedField(utf8, { index: { kind: 'int', bits: 64, signed } });
      const batch = (...numbers: bigint[]) =>
        batchPiece(1, [arrayOf(wide, 1, [BigInt64Array.from(numbers)])]);
      checkBytes(streamOf([schemaPiece([wide]), dictionaryPiece(1n, values), batch(1n)]));
      for (const index of [2n, -1n, 1n << 32n, 1n << 62n, (1n << 53n) + 1n])
        refuses(
          streamOf([schemaPiece([wide]), dictionaryPiece(1n, values), batch(index)]),
          /outside dictionary/,
        );
    }
  });

  it('cannot shrink under a dictionary that uses them', () => {
    const inner = encodedField(utf8, { id: 2n });
    const outer = { ...encodedField({ kind: 'struct' }), children: [{ ...inner, name: 'inner' }] };
    const pairs = arrayOf({ ...outer, dictionary: null }, 1, [], {
      children: [arrayOf(inner, 1, [Int8Array.of(1)])],
    });
    const one = arrayOf(fieldOf(utf8), 1, [Int32Array.of(0, 1), Buffer.from('a')]);
    const start = [schemaPiece([outer]), dictionaryPiece(2n, values), dictionaryPiece(1n, pairs)];
    const batch = batchPiece(1, [arrayOf(outer, 1, [Int8Array.of(0)])]);
    checkBytes(streamOf([...start, batch]));
    refuses(streamOf([...start, dictionaryPiece(2n, one), batch]), /became shorter/);
    refuses(streamOf([schemaPiece([outer]), dictionaryPiece(1n, pairs)]), /dictionary 2 did not come before/);
  });
});

describe('deltas', () => {
  it('may not keep readers joining for ever', () => {
    const lengths = new DictionaryLengths({ fields: [encodedField(int64)], metadata: [] }, 1000);
    const add = (delta: boolean) => {
      const message = parseMessage(dictionaryPiece(1n, numbersOf(1, 2, 3), delta).header);
      assert.ok(message.kind === 'dictionary');
      lengths.add(message, () => numbersOf(1, 2, 3));
    };
    add(false);
    for (let batch = 0; batch < 100; batch++) assert.equal(lengths.forBatch().get(1n)?.length, 3);
    for (let delta = 0; delta < 10; delta++) add(true);
    assert.equal(lengths.forBatch().get(1n)?.length, 33);
    add(true);
    assert.throws(() => lengths.forBatch(), /too many small deltas/);
  });
});

describe('nested types', () => {
  const child = numbersOf(1, 2, 3);
  const list = (type: ArrowType, length: number, buffers: ArrayBufferView[], children = [child]) =>
    streamOfColumn(
      arrayOf(
        fieldOf(
          type,
          children.map((array) => array.field),
        ),
        length,
        buffers,
        { children },
      ),
    );

  it('have list offsets and sizes inside the values', () => {
    checkBytes(list({ kind: 'list', large: false }, 2, [Int32Array.of(0, 1, 3)]));
    refuses(
      list({ kind: 'list', large: false }, 1, [Int32Array.of(0, 4)]),
      /last offset 4 is beyond the 3 values/,
    );
    refuses(list({ kind: 'list', large: true }, 1, [BigInt64Array.of(2n, 1n)]), /smaller/);
    checkBytes(list({ kind: 'list-view', large: false }, 2, [Int32Array.of(2, 0), Int32Array.of(1, 3)]));
    refuses(
      list({ kind: 'list-view', large: false }, 1, [Int32Array.of(2), Int32Array.of(2)]),
      /outside the 3 values/,
    );
    refuses(
      list({ kind: 'list-view', large: false }, 1, [Int32Array.of(-1), Int32Array.of(2)]),
      /outside the 3 values/,
    );
    refuses(
      list({ kind: 'list-view', large: true }, 1, [BigInt64Array.of(0n), BigInt64Array.of(-1n)]),
      /outside/,
    );
    refuses(list({ kind: 'fixed-list', size: 2 }, 2, []), /has 3 values, 4 are needed/);
    refuses(list({ kind: 'struct' }, 4, []), /has 3 values, 4 are needed/);
  });

  it('have unions with known type ids and offsets that rise', () => {
    const sparse = { kind: 'union', mode: 'sparse', typeIds: [4] } as const;
    const dense = { kind: 'union', mode: 'dense', typeIds: [4] } as const;
    checkBytes(list(sparse, 3, [Int8Array.of(4, 4, 4)]));
    refuses(list(sparse, 3, [Int8Array.of(4, 5, 4)]), /row 1: 5 is not a type id/);
    refuses(list(sparse, 1, [Int8Array.of(-1)]), /255 is not a type id/);
    checkBytes(list(dense, 2, [Int8Array.of(4, 4), Int32Array.of(0, 2)]));
    refuses(list(dense, 1, [Int8Array.of(4), Int32Array.of(3)]), /outside its values/);
    refuses(list(dense, 1, [Int8Array.of(4), Int32Array.of(-1)]), /runs backwards/);
    refuses(list(dense, 2, [Int8Array.of(4, 4), Int32Array.of(1, 0)]), /runs backwards/);
  });

  it('have runs that rise and cover the rows', () => {
    const runs = (length: number, ...ends: number[]) => {
      const int32 = { kind: 'int', bits: 32, signed: true } as const;
      const endsArray = arrayOf({ ...fieldOf(int32), nullable: false }, ends.length, [Int32Array.from(ends)]);
      return list({ kind: 'run-end' }, length, [], [endsArray, child]);
    };
    checkBytes(runs(5, 2, 5));
    checkBytes(runs(4, 2, 5));
    checkBytes(runs(0));
    refuses(runs(6, 2, 5), /the runs cover 5 of 6 rows/);
    refuses(runs(1), /the runs cover 0 of 1 rows/);
    refuses(runs(5, 2, 2, 5), /run 1 does not end after/);
    refuses(runs(5, 0, 5), /run 0 does not end after/);
    refuses(runs(5, 1, 2, 3, 5), /4 runs have only 3 values/);
  });

  it('have maps without null entries or keys', () => {
    const map = (entriesRest: Partial<ArrayData>, keysRest: Partial<ArrayData>) => {
      const key = { ...numbersOf(1, 2), ...keysRest };
      const value = numbersOf(3, 4);
      const entries = fieldOf({ kind: 'struct' }, [key.field, value.field]);
      const children = [arrayOf(entries, 2, [], { children: [key, value], ...entriesRest })];
      return list({ kind: 'map', keysSorted: false }, 1, [Int32Array.of(0, 2)], children);
    };
    const oneNull = { nullCount: 1, validity: Uint8Array.of(1) };
    checkBytes(map({}, {}));
    refuses(map(oneNull, {}), /entries of a map are null/);
    refuses(map({}, oneNull), /keys of a map are null/);
  });
});
