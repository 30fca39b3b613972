import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { postgresColumns } from '../../../src/encode/postgres/columns.ts';
import type { CopyOptions } from '../../../src/encode/postgres/copy-rows.ts';
import { boundTypes, parameterTypeOf } from '../../../src/encode/postgres/parameters/parameter-types.ts';
import { renderedRows } from '../../../src/encode/render-rows.ts';
import { postgres } from '../../../src/model/types/postgres-types.ts';
import type { RowShape } from '../../../src/ports/renderer.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { repositoryRoot } from '../../support/repository.ts';
import { fieldsOf, type Message, messagesOf, RawPostgres } from './raw-postgres.ts';
import { rowCount, samples } from './sample-columns.ts';

let server: PostgresServer;
let raw: RawPostgres;
before(async () => {
  server = await PostgresServer.start();
  raw = await RawPostgres.connect(server.port);
});
after(async () => {
  raw.close();
  await server.stop();
});

const all = samples();
const named = all.map(({ data }, index) => ({ ...data, field: { ...data.field, name: `c${index}` } }));
const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe'];

async function written(
  columns: readonly ArrayData[],
  options: RowShape,
  from = 0,
  to = rowCount,
): Promise<Buffer> {
  const schemaMessage = encodeSchema({ fields: columns.map(({ field }) => field), metadata: [] });
  async function* batches() {
    if (from < to) yield { batch: { length: rowCount, columns }, from, to };
  }
  const names = columns.map(({ field }) => ({ name: field.name, type: '' }));
  const signal = new AbortController().signal;
  const chunks: Uint8Array[] = [];
  for await (const chunk of renderedRows(options, names, schemaMessage, batches(), signal)) {
    const { length } = Buffer.concat(
      messagesOf(Buffer.from(chunk)).map(({ payload }) => Buffer.concat([payload, Buffer.alloc(5)])),
    );
    assert.equal(length, chunk.length, 'a chunk ends inside a message');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function rowsOptions(format: 0 | 1, timeZone = 'UTC'): RowShape {
  return { writer: 'postgres', formats: named.map(() => format), timeZone } as RowShape;
}

/** Both give the same, or the first field that differs is named. */
function same(own: readonly Message[], theirs: readonly Message[]): void {
  assert.equal(own.length, theirs.length);
  for (const [row, message] of theirs.entries()) {
    if (own[row]?.payload.equals(message.payload) === true && own[row]?.type === message.type) continue;
    const ours = fieldsOf(own[row] as Message);
    for (const [index, field] of fieldsOf(message).entries())
      assert.deepEqual(
        ours[index]?.toString('latin1'),
        field?.toString('latin1'),
        `row ${row}, column ${index}: ${JSON.stringify(all[index]?.data.field.type)}`,
      );
    assert.fail(`row ${row}`);
  }
}

/** A table with the values that the texts name: PostgreSQL has read each of them. */
async function load(): Promise<void> {
  const rows = messagesOf(await written(named, rowsOptions(0))).map(fieldsOf);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query("SET TimeZone = 'UTC'");
    const types = all.map(({ type }, index) => `c${index} ${type}`);
    await client.query(`CREATE TABLE samples (row int, ${types.join(', ')})`);
    const casts = all.map(
      ({ type }, index) => `($2::text[])[(n - 1) * ${all.length} + ${index + 1}]::${type}`,
    );
    const step = 50;
    for (let from = 0; from < rows.length; from += step) {
      const part = rows.slice(from, from + step);
      const texts = part.flat().map((field) => field?.toString() ?? null);
      await client.query(
        `INSERT INTO samples SELECT $1::int + n, ${casts.join(', ')} FROM generate_series(1, ${part.length}) AS s(n)`,
        [from, texts],
      );
    }
  } finally {
    await client.end();
  }
}

const names = all.map((_, index) => `c${index}`).join(', ');
const query = `SELECT ${names} FROM samples ORDER BY row`;

test('every type is announced with the OID, the size and the digits of PostgreSQL', async () => {
  await load();
  const own = postgresColumns(encodeSchema({ fields: named.map(({ field }) => field), metadata: [] }));
  const described = (await raw.query(`SELECT ${names} FROM samples LIMIT 0`)).find(
    ({ type }) => type === 'T',
  );
  let at = 2;
  const payload = described?.payload as Buffer;
  for (const each of own) {
    const end = payload.indexOf(0, at);
    const [oid, size] = [payload.readUInt32BE(end + 7), payload.readInt16BE(end + 11)];
    assert.deepEqual(
      { name: each.name, oid: each.oid, size: each.size },
      { name: payload.toString('utf8', at, end), oid, size },
    );
    at = end + 19;
  }
});

test('the numbers, sizes and arrays of all types are those of pg_type, and the page names each announced type', async () => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT oid::int, typname, typarray::int, typlen::int FROM pg_type WHERE typnamespace = 11',
    );
    const real = new Map(rows.map((row) => [row.oid, row]));
    const announced = Object.values(postgres);
    for (const { name, oid, arrayOid } of [...announced, ...boundTypes]) {
      assert.equal(real.get(oid)?.typname, name.replaceAll('"', ''));
      if (arrayOid !== null) assert.equal(real.get(oid)?.typarray, arrayOid, name);
    }
    for (const { name, oid, size } of announced) assert.equal(real.get(oid)?.typlen, size, name);
    const page = readFileSync(join(repositoryRoot, 'docs/reference/postgres-types.md'), 'utf8');
    const cells = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
    assert.deepEqual(
      [...new Set(cells.filter((cell) => real.values().some(({ typname }) => typname === cell)))].sort(),
      announced.map(({ name }) => name).sort(),
    );
  } finally {
    await client.end();
  }
});

const halfway = 1 + 2 ** -24;

test('a float4 in text is rounded once, as in PostgreSQL', async () => {
  const texts = [
    '16777217',
    '16777217.000000000000000001',
    '16777216.999999999999999999',
    '16777219',
    `${halfway}`,
    `${halfway}${'0'.repeat(30)}1`,
    '-1.00000017881393432617187499',
    '-1.00000017881393432617187501',
    '7.1e-46',
    '7.006492321624086e-46',
    '3.4028235677973366e38',
    '3.40282356779733661637539395458142568447e38',
    '1.17549435e-38',
    '0.1',
    '+.5e1',
    '1.',
    'Infinity',
  ];
  for (const text of texts) {
    const theirs = await raw.rows(`SELECT '${text}'::float4`, 1).catch(() => null);
    const bind = () => parameterTypeOf(postgres.float4.oid, 'UTC')?.scalar.fromText(Buffer.from(text));
    if (theirs === null) assert.throws(bind, text);
    else {
      const value = Buffer.from(bind() as Uint8Array).reverse();
      assert.equal(value.toString('hex'), fieldsOf(theirs[0] as Message)[0]?.toString('hex'), text);
    }
  }
});

test('rows are the bytes that PostgreSQL sends for the same values, as text in any zone and in binary', async () => {
  for (const zone of zones) {
    await raw.query(`SET TimeZone = '${zone}'`);
    same(messagesOf(await written(named, rowsOptions(0, zone))), await raw.rows(query, 0));
  }
  same(messagesOf(await written(named, rowsOptions(1))), await raw.rows(query, 1));
});

test('COPY is the bytes that PostgreSQL sends, in text, csv and binary', async () => {
  const usual = { writer: 'postgres-copy', header: false, quote: '"', escape: '"', timeZone: 'UTC' } as const;
  const text = { ...usual, format: 'text', delimiter: '\t', nullText: '\\N' } as const;
  const csv = { ...usual, format: 'csv', delimiter: ',', nullText: '' } as const;
  const cases: readonly (readonly [CopyOptions, string])[] = [
    [text, ''],
    [{ ...text, delimiter: '|', nullText: 'NULL', header: true }, ", DELIMITER '|', NULL 'NULL', HEADER"],
    [{ ...text, delimiter: '-' }, ", DELIMITER '-'"],
    [csv, ''],
    [{ ...csv, header: true, forceQuote: '*' }, ', HEADER, FORCE_QUOTE *'],
    [
      { ...csv, quote: "'", escape: '\\', delimiter: ':', nullText: '1', forceQuote: ['c0', 'c5'] },
      ", QUOTE '''', ESCAPE '\\', DELIMITER ':', NULL '1', FORCE_QUOTE (c0, c5)",
    ],
    [{ ...csv, format: 'binary' }, ''],
  ];
  await raw.query("SET TimeZone = 'UTC'");
  for (const [options, words] of cases) {
    const theirs = (await raw.query(`COPY (${query}) TO STDOUT (FORMAT ${options.format}${words})`)).filter(
      ({ type }) => type === 'd',
    );
    const own = messagesOf(await written(named, options));
    assert.equal(own.length, theirs.length, options.format + words);
    for (const [row, message] of theirs.entries())
      assert.equal(
        own[row]?.payload.toString('latin1'),
        message.payload.toString('latin1'),
        `${options.format}${words}, row ${row}`,
      );
    const none = (
      await raw.query(`COPY (${query} LIMIT 0) TO STDOUT (FORMAT ${options.format}${words})`)
    ).filter(({ type }) => type === 'd');
    assert.deepEqual(messagesOf(await written(named, options, 0, 0)), none);
    const single = (
      await raw.query(
        `COPY (SELECT c21 FROM samples ORDER BY row) TO STDOUT (FORMAT ${options.format}${words.replace('c0, c5', 'c21')})`,
      )
    ).filter(({ type }) => type === 'd');
    const forced =
      options.forceQuote === undefined || options.forceQuote === '*' ? {} : { forceQuote: ['c21'] };
    assert.deepEqual(messagesOf(await written([named[21] as ArrayData], { ...options, ...forced })), single);
  }
});
