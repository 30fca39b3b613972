import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { emptyArray } from '../../../src/arrow/arrays/empty-array.ts';
import type { ArrowType, Field, Schema } from '../../../src/arrow/field.ts';
import { parseMessage } from '../../../src/arrow/ipc/message.ts';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import { decodeText, encodeText } from '../../../src/arrow/text.ts';
import { assertTook } from '../../support/machine-pace.ts';
import { readArrow, runPython } from '../../support/python.ts';
import {
  batchPiece,
  dictionaryPiece,
  encodedField,
  fieldOf,
  int64,
  schemaPiece,
  utf8,
} from '../hand-made.ts';
import { pyarrowStreams } from '../pyarrow-streams.ts';
import { checkBytes, decodeStream, streamOf } from '../stream-bytes.ts';

const streams = await pyarrowStreams();

function decode(header: Uint8Array): Schema {
  const message = parseMessage(header);
  assert.ok(message.kind === 'schema');
  return message.schema;
}

const units = ['s', 'ms', 'us', 'ns'] as const;
const plainTypes: ArrowType[] = [
  { kind: 'null' },
  { kind: 'bool' },
  ...([8, 16, 32, 64] as const).flatMap((bits) =>
    [true, false].map((signed): ArrowType => ({ kind: 'int', bits, signed })),
  ),
  ...([16, 32, 64] as const).map((bits): ArrowType => ({ kind: 'float', bits })),
  ...([32, 64, 128, 256] as const).map(
    (bits): ArrowType => ({ kind: 'decimal', bits, precision: 9, scale: -2 }),
  ),
  ...[true, false].flatMap((large): ArrowType[] => [
    { kind: 'utf8', large },
    { kind: 'binary', large },
  ]),
  { kind: 'utf8-view' },
  { kind: 'binary-view' },
  { kind: 'fixed-binary', width: 0 },
  { kind: 'fixed-binary', width: 16 },
  { kind: 'date', unit: 'day' },
  { kind: 'date', unit: 'ms' },
  ...units.flatMap((unit): ArrowType[] => [
    { kind: 'time', bits: unit === 's' || unit === 'ms' ? 32 : 64, unit },
    { kind: 'timestamp', unit, zone: null },
    { kind: 'timestamp', unit, zone: 'Europe/Warsaw' },
    { kind: 'timestamp', unit, zone: '' },
    { kind: 'duration', unit },
  ]),
  ...(['year-month', 'day-time', 'month-day-nano'] as const).map(
    (unit): ArrowType => ({ kind: 'interval', unit }),
  ),
];
const entry = fieldOf({ kind: 'struct' }, [{ ...fieldOf(utf8), nullable: false }, fieldOf(int64)]);
const nestedFields: Field[] = [
  fieldOf({ kind: 'list', large: false }, [fieldOf(int64)]),
  fieldOf({ kind: 'list', large: true }, [fieldOf(int64)]),
  fieldOf({ kind: 'list-view', large: false }, [fieldOf(int64)]),
  fieldOf({ kind: 'list-view', large: true }, [fieldOf(int64)]),
  fieldOf({ kind: 'fixed-list', size: 0 }, [fieldOf(int64)]),
  fieldOf({ kind: 'fixed-list', size: 3 }, [fieldOf(int64)]),
  fieldOf({ kind: 'struct' }),
  fieldOf({ kind: 'struct' }, [fieldOf(int64), fieldOf(utf8)]),
  fieldOf({ kind: 'map', keysSorted: true }, [{ ...entry, nullable: false }]),
  fieldOf({ kind: 'map', keysSorted: false }, [{ ...entry, nullable: false }]),
  fieldOf({ kind: 'union', mode: 'sparse', typeIds: [0, 1] }, [fieldOf(int64), fieldOf(utf8)]),
  fieldOf({ kind: 'union', mode: 'dense', typeIds: [127, 3] }, [fieldOf(int64), fieldOf(utf8)]),
  fieldOf({ kind: 'run-end' }, [
    { ...fieldOf({ kind: 'int', bits: 16, signed: true }), nullable: false },
    fieldOf(utf8),
  ]),
];
const dictionaryFields: Field[] = [
  encodedField(utf8),
  encodedField(int64, { id: -5n, ordered: true, index: { kind: 'int', bits: 64, signed: false } }),
  {
    ...encodedField({ kind: 'struct' }, { id: (1n << 62n) + 1n }),
    children: [encodedField(utf8, { id: 9n })],
  },
];

describe('a schema', () => {
  it('comes back as it was, with every type', () => {
    const fields = [...plainTypes.map((type) => fieldOf(type)), ...nestedFields, ...dictionaryFields];
    const schema: Schema = {
      fields: fields.map((field, index) => ({ ...field, name: `żółw ${index}`, nullable: index % 2 === 0 })),
      metadata: [
        ['key', 'value'],
        ['key', ''],
      ],
    };
    assert.deepEqual(decode(encodeSchema(schema)), schema);
  });

  it('comes back as pyarrow wrote it', () => {
    for (const { bytes } of streams.values()) {
      const { schema } = checkBytes(bytes);
      assert.deepEqual(decode(encodeSchema(schema)), schema);
    }
  });

  it('keeps metadata that is not UTF-8', () => {
    const { schema } = checkBytes((streams.get('metadata') ?? assert.fail()).bytes);
    const metadata = new Map(schema.fields[0]?.metadata);
    assert.equal(metadata.get('unit'), 'm');
    const [key] = [...metadata.keys()].filter((name) => name !== 'unit');
    assert.deepEqual([...encodeText(key ?? '')], [0xff, 0xfe]);
    assert.deepEqual([...encodeText(metadata.get(key ?? '') ?? '')], [0x80, 0x61, 0x62, 0x63]);
    assert.deepEqual(new Map(schema.metadata).get('żółw'), '\u{1f422}');
  });

  it('of ten thousand columns is parsed and written within 100 ms each', () => {
    const { schemaHeader, schema } = checkBytes((streams.get('wide') ?? assert.fail()).bytes);
    assert.equal(schema.fields.length, 10_000);
    // The best of some runs: the machine may be busy.
    const best = (run: () => unknown): number => {
      const times = Array.from({ length: 8 }, () => {
        const start = performance.now();
        run();
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    const parsedMs = best(() => parseMessage(schemaHeader));
    const writtenMs = best(() => encodeSchema(schema));
    assertTook(Math.max(parsedMs, writtenMs), 100);
  });

  it('and empty batches of every type are read by pyarrow as well', async () => {
    const unreadable = new Set(['year-month', 'day-time']);
    const fields = [...plainTypes.map((type) => fieldOf(type)), ...nestedFields]
      .filter(({ type }) => !(type.kind === 'interval' && unreadable.has(type.unit)))
      .map((field, index) => ({ ...field, name: `c${index}` }));
    const bytes = streamOf([schemaPiece(fields), batchPiece(0, fields.map(emptyArray))]);
    assert.equal(checkBytes(bytes).batches, 1);
    const read = await readArrow(bytes);
    assert.equal(read.rows, 0);
    assert.equal(read.schema.match(/^c\d+:/gm)?.length, fields.length);
  });

  it('and rewritten batches are read by pyarrow with the same values', async () => {
    for (const name of ['numbers', 'times', 'texts', 'nested', 'other', 'other-v4', 'dictionaries']) {
      const { bytes } = streams.get(name) ?? assert.fail();
      const { schema, batches } = await decodeStream(bytes, 1);
      const pieces = batches.map((batch) => batchPiece(batch.length, batch.columns));
      const dictionaries = [...dictionariesOf(batches[0]?.columns ?? [])];
      const values = dictionaries.map(([id, array]) => dictionaryPiece(id, array));
      const header = encodeSchema(schema);
      const rewritten = streamOf([{ header, body: new Uint8Array(0) }, ...values, ...pieces]);
      checkBytes(rewritten);
      assert.equal(await isSame(bytes, rewritten), true, name);
    }
  });
});

/** Those inside others' values first. */
function dictionariesOf(
  columns: readonly ArrayData[],
  found = new Map<bigint, ArrayData>(),
): Map<bigint, ArrayData> {
  for (const { field, dictionary, children } of columns) {
    dictionariesOf(children, found);
    if (field.dictionary === null || dictionary === null) continue;
    dictionariesOf([dictionary], found);
    found.set(field.dictionary.id, dictionary);
  }
  return found;
}

const comparison = `
import base64, json, sys
import pyarrow as pa
tables = [pa.ipc.open_stream(base64.b64decode(text)).read_all() for text in json.load(sys.stdin)]
for table in tables:
    table.validate(full=True)
first, second = tables
print(json.dumps(first.schema.equals(second.schema, check_metadata=True) and str(first.to_pylist()) == str(second.to_pylist())))
`;

/** Whether pyarrow finds both streams valid, and the same in them. */
async function isSame(first: Uint8Array, second: Uint8Array): Promise<unknown> {
  return await runPython(
    ['-c', comparison],
    [first, second].map((bytes) => Buffer.from(bytes).toString('base64')),
  );
}

describe('a schema that cannot be', () => {
  function refuses(field: Field, message: RegExp): void {
    assert.throws(
      () => decode(encodeSchema({ fields: [field], metadata: [] })),
      (thrown) => thrown instanceof MalformedArrow && message.test(thrown.message),
    );
  }

  it('is refused with the field and the reason', () => {
    refuses(fieldOf({ kind: 'list', large: false }), /field "c": type list has 1 children, not 0/);
    refuses(fieldOf(int64, [fieldOf(int64)]), /type int has 0 children, not 1/);
    refuses(fieldOf({ kind: 'decimal', bits: 128, precision: 39, scale: 0 }), /precision 39/);
    refuses(fieldOf({ kind: 'decimal', bits: 128, precision: 3, scale: 100_000 }), /scale 100000/);
    refuses(fieldOf({ kind: 'time', bits: 32, unit: 'ns' }), /a time in ns has 64 bits, not 32/);
    refuses(fieldOf({ kind: 'fixed-binary', width: -1 }), /negative width -1/);
    refuses(
      fieldOf({ kind: 'union', mode: 'dense', typeIds: [1, 1] }, [fieldOf(int64), fieldOf(int64)]),
      /type id 1/,
    );
    refuses(fieldOf({ kind: 'union', mode: 'dense', typeIds: [1] }), /0 fields with 1 type ids/);
    refuses(fieldOf({ kind: 'map', keysSorted: false }, [fieldOf(int64)]), /entries of a map/);
    refuses(fieldOf({ kind: 'run-end' }, [fieldOf(utf8), fieldOf(utf8)]), /run ends are signed integers/);
  });

  it('is refused if it is too deep or too wide', () => {
    let field = fieldOf(int64);
    for (let depth = 1; depth < 64; depth++) field = fieldOf({ kind: 'struct' }, [field]);
    assert.equal(decode(encodeSchema({ fields: [field], metadata: [] })).fields.length, 1);
    refuses(fieldOf({ kind: 'struct' }, [field]), /nested more than 64 deep/);
    const wide = Array.from({ length: 100_001 }, () => fieldOf(int64));
    refuses(fieldOf({ kind: 'struct' }, wide), /more than 100000 fields/);
  });
});

describe('text of any bytes', () => {
  it('comes back byte for byte', () => {
    const samples = [
      [],
      [0x61],
      [0xff],
      [0xc5, 0xbc, 0xc5],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x90, 0xa2, 0x80, 0x61],
    ];
    for (const sample of samples)
      assert.deepEqual([...encodeText(decodeText(Uint8Array.from(sample)))], sample);
    assert.equal(decodeText(Buffer.from('żółw \u{1f422}')), 'żółw \u{1f422}');
  });
});
