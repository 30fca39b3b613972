import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { DictionaryEncoding, Metadata } from '../../src/arrow/field.ts';
import { typeInfoRows } from '../../src/flight/sql/metadata/type-info.ts';
import { execName, isUuid, postgresType } from '../../src/model/types/column-names.ts';
import type { ArrowKind, ArrowType, Field } from '../../src/model/types/field.ts';
import {
  isBinary,
  isList,
  isNested,
  isText,
  isView,
  lostInParquet,
  plainForm,
  plainTypeText,
  typeLayout,
  typeNames,
} from '../../src/model/types/type-table.ts';
import { repositoryRoot } from '../support/repository.ts';

const units = ['s', 'ms', 'us', 'ns'] as const;
const bits = [8, 16, 32, 64] as const;
const [small, large] = [{ large: false }, { large: true }];

/** Every type of each kind, with some of its parameters. A kind without any does not compile. */
const types: { readonly [Kind in ArrowKind]: readonly (ArrowType & { readonly kind: Kind })[] } = {
  null: [{ kind: 'null' }],
  bool: [{ kind: 'bool' }],
  int: bits.flatMap((width) =>
    [true, false].map((signed) => ({ kind: 'int', bits: width, signed }) as const),
  ),
  float: [16, 32, 64].map((width) => ({ kind: 'float', bits: width as 16 | 32 | 64 })),
  decimal: [
    { kind: 'decimal', bits: 32, precision: 9, scale: 2 },
    { kind: 'decimal', bits: 64, precision: 18, scale: 6 },
    { kind: 'decimal', bits: 128, precision: 38, scale: 9 },
    { kind: 'decimal', bits: 128, precision: 10, scale: -2 },
    { kind: 'decimal', bits: 256, precision: 76, scale: 38 },
  ],
  utf8: [small, large].map((size) => ({ kind: 'utf8', ...size })),
  'utf8-view': [{ kind: 'utf8-view' }],
  binary: [small, large].map((size) => ({ kind: 'binary', ...size })),
  'binary-view': [{ kind: 'binary-view' }],
  'fixed-binary': [{ kind: 'fixed-binary', width: 5 }],
  date: [
    { kind: 'date', unit: 'day' },
    { kind: 'date', unit: 'ms' },
  ],
  time: units.map((unit, index) => ({ kind: 'time', bits: index < 2 ? 32 : 64, unit })),
  timestamp: units.flatMap((unit) =>
    [null, 'UTC', 'Europe/Berlin'].map((zone) => ({ kind: 'timestamp', unit, zone }) as const),
  ),
  duration: units.map((unit) => ({ kind: 'duration', unit })),
  interval: (['year-month', 'day-time', 'month-day-nano'] as const).map((unit) => ({
    kind: 'interval',
    unit,
  })),
  list: [small, large].map((size) => ({ kind: 'list', ...size })),
  'list-view': [small, large].map((size) => ({ kind: 'list-view', ...size })),
  'fixed-list': [{ kind: 'fixed-list', size: 3 }],
  struct: [{ kind: 'struct' }],
  map: [{ kind: 'map', keysSorted: false }],
  union: [
    { kind: 'union', mode: 'dense', typeIds: [0] },
    { kind: 'union', mode: 'sparse', typeIds: [0] },
  ],
  'run-end': [{ kind: 'run-end' }],
};
const all: readonly ArrowType[] = Object.values(types).flat();
const scalars = all.filter((type) => !isNested(type));

const index: DictionaryEncoding = {
  id: 0n,
  index: { kind: 'int', bits: 8, signed: true },
  ordered: false,
};

function field(type: ArrowType, children: readonly Field[] = [], more: Partial<Field> = {}): Field {
  return { name: 'x', nullable: true, type, children, dictionary: null, metadata: [], ...more };
}

const utf8: ArrowType = { kind: 'utf8', large: false };
const int32: ArrowType = { kind: 'int', bits: 32, signed: true };
const uuidMark: Metadata = [['ARROW:extension:name', 'arrow.uuid']];
const uuid = field({ kind: 'fixed-binary', width: 16 }, [], { metadata: uuidMark });
const list = (child: Field) => field({ kind: 'list', large: false }, [child]);

it('every kind has a row, with a name everywhere that it has values', () => {
  for (const type of all) {
    const text = plainTypeText(type);
    const names = typeNames(type);
    assert.ok(text.length > 0 && names.exec.length > 0, text);
    assert.ok(names.postgres.oid > 0, text);
    // Where one is null, nothing but these is meant.
    if (names.duckdb === null) assert.match(text, /^(decimal|dense union|sparse union|run_end_encoded)/);
  }
});

it('types are called in /exec what the reference of HTTP says', () => {
  const reference = readFileSync(join(repositoryRoot, 'docs', 'reference', 'http.md'), 'utf8');
  const section = reference.slice(reference.indexOf('### Types and cells'));
  const table = section.slice(0, section.indexOf('\n## '));
  const named = new Set(
    [...table.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z_]+)(?:\(p,s\))?`/g)].map((match) => match[1]),
    ),
  );
  const columns = [
    ...all.filter(({ kind }) => kind !== 'run-end').map((type) => field(type)),
    field(utf8, [], { dictionary: index }),
    uuid,
  ];
  const ours = new Set(columns.map((column) => execName(column).replace(/\(.*/, '')));
  assert.deepEqual([...ours].sort(), [...named].sort());
});

it('types are written as the reference of types writes them', () => {
  const reference = readFileSync(join(repositoryRoot, 'docs', 'reference', 'types.md'), 'utf8');
  const written = new Set(
    [...reference.matchAll(/^\| ([^|]+) \| (?:Parquet|Arrow)/gm)].map((match) => match[1]),
  );
  const plain = (text: string) =>
    text.replaceAll(' ', '').replace(/^fixed_size_(.*)\[(\d+)\]$/, 'fixed_size_$1($2)');
  const pages = new Set([...written].map((text) => plain(text ?? '')));
  // pyarrow has no types for these, so that no frame of the page can have them.
  const unwritten = /^interval\[(year-month|day-time|month-day-nano)\]$/;
  for (const type of scalars) {
    const text = plainTypeText(type);
    if (!unwritten.test(text)) assert.ok(pages.has(plain(text)), text);
  }
});

it('Flight SQL announces the numbers of JDBC that columns of these types have', () => {
  const announced = new Map(typeInfoRows({} as never).map((row) => [row[0], row[1]]));
  let compared = 0;
  for (const type of all) {
    const { duckdb, jdbc } = typeNames(type);
    const code = announced.get(duckdb?.replace(/\(.*/, '') ?? '');
    // NULL alone is an INTEGER only for the engine.
    if (code === undefined || type.kind === 'null') continue;
    assert.equal(jdbc?.code, code, plainTypeText(type));
    compared += 1;
  }
  assert.ok(compared > 25, `${compared} types`);
});

it('types have the names and the OIDs of PostgreSQL', () => {
  const expected: Readonly<Record<string, string>> = {
    null: 'text 25',
    bool: 'bool 16',
    int8: 'int2 21',
    uint8: 'int2 21',
    int16: 'int2 21',
    uint16: 'int4 23',
    int32: 'int4 23',
    uint32: 'int8 20',
    int64: 'int8 20',
    uint64: 'numeric 1700',
    float16: 'float4 700',
    float32: 'float4 700',
    float64: 'float8 701',
    date32: 'date 1082',
    date64: 'date 1082',
    'time64[us]': 'time 1083',
    'time64[ns]': 'time 1083',
    'timestamp[us]': 'timestamp 1114',
    'timestamp[ns]': 'timestamp 1114',
    'timestamp[s, UTC]': 'timestamptz 1184',
    'duration[us]': 'interval 1186',
    'interval[month-day-nano]': 'interval 1186',
    utf8: 'text 25',
    utf8_view: 'text 25',
    binary: 'bytea 17',
    'fixed_size_binary[5]': 'bytea 17',
    'decimal128(38, 9)': 'numeric 1700',
    struct: 'json 114',
    map: 'json 114',
  };
  const ours = new Map(
    all
      .filter(({ kind }) => kind !== 'run-end')
      .map((type) => [plainTypeText(type), postgresType(field(type))]),
  );
  for (const [text, type] of Object.entries(expected))
    assert.equal(`${ours.get(text)?.name} ${ours.get(text)?.oid}`, type, text);
  assert.equal(postgresType(uuid).oid, 2950);
  assert.equal(postgresType(field(utf8, [], { dictionary: index })).oid, 25, 'categories are texts');
  // What PostgreSQL 15 has in atttypmod of numeric(38,9) and numeric(20,0).
  assert.equal(ours.get('decimal128(38, 9)')?.modifier, 2_490_381);
  assert.equal(ours.get('uint64')?.modifier, 1_310_724);
  assert.equal(ours.get('decimal128(10, -2)')?.modifier, -1);
  assert.equal(
    typeNames({ kind: 'decimal', bits: 128, precision: 38, scale: 0, integer: 'HUGEINT' }).postgres.modifier,
    -1,
  );
});

it('lists are arrays in PostgreSQL if it has one of their elements, and JSON otherwise', () => {
  const array = postgresType(list(field(int32)));
  assert.deepEqual([array.name, array.oid], ['int4[]', 1007]);
  assert.equal(postgresType(list(uuid)).oid, 2951);
  assert.equal(postgresType(field({ kind: 'fixed-list', size: 2 }, [field(utf8)])).oid, 1009);
  assert.equal(postgresType(list(list(field(int32)))).oid, 114);
  assert.equal(postgresType(list(field({ kind: 'struct' }, [field(int32)]))).oid, 114);
});

it('run-end encoding has the names of its values', () => {
  const runs = field({ kind: 'run-end' }, [field(int32), list(field(utf8))]);
  assert.equal(execName(runs), 'ARRAY');
  assert.equal(postgresType(runs).oid, 1009);
});

it('a view has a plain form of the same family, and only views have one', () => {
  for (const type of all) {
    const plain = plainForm(type);
    assert.equal(isView(type), plain !== type);
    assert.deepEqual(typeNames(plain), typeNames(type));
    assert.deepEqual(
      [isText(plain), isBinary(plain), isList(plain)],
      [isText(type), isBinary(type), isList(type)],
    );
    assert.equal(lostInParquet(plain), isView(type) ? null : lostInParquet(type));
    if (isView(type)) assert.notEqual(typeLayout(type).kind, typeLayout(plain).kind);
  }
  assert.deepEqual(plainForm({ kind: 'list-view', large: true }), { kind: 'list', large: true });
});

it('only fixed-size binaries of 16 bytes that say so are UUIDs', () => {
  assert.ok(isUuid(uuid));
  assert.ok(!isUuid(field({ kind: 'fixed-binary', width: 16 })));
  assert.ok(!isUuid(field({ kind: 'fixed-binary', width: 15 }, [], { metadata: uuidMark })));
});
