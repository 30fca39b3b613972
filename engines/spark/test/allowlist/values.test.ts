import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { checkStatement, fillStatement } from '../../src/allowlist/check-statement.ts';
import type { ParameterValue, ParameterValues } from '../../src/allowlist/parameter-values.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import type { Literal } from './attacks/attack.ts';
import { BareConnect, planOf } from './attacks/bare-connect.ts';
import { inSession, sparkRows } from './spark-rows.ts';

const every = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).join('');

/** What each value is in Spark, as a text, and its type. */
const cases: readonly (readonly [value: ParameterValue, text: string | null, type: string])[] = [
  [{ type: 'null' }, null, 'void'],
  [{ type: 'typed_null', of: 'DECIMAL(10,2)' }, null, 'decimal(10,2)'],
  [{ type: 'boolean', value: true }, 'true', 'boolean'],
  [{ type: 'tinyint', value: -128n }, '-128', 'tinyint'],
  [{ type: 'smallint', value: 32767n }, '32767', 'smallint'],
  [{ type: 'int', value: -2147483648n }, '-2147483648', 'int'],
  [{ type: 'bigint', value: -9223372036854775808n }, '-9223372036854775808', 'bigint'],
  [{ type: 'bigint', value: 9223372036854775807n }, '9223372036854775807', 'bigint'],
  [{ type: 'float', value: 1.5 }, '1.5', 'float'],
  [{ type: 'double', value: 0.1 + 0.2 }, '0.30000000000000004', 'double'],
  [{ type: 'double', value: 5e-324 }, '4.9E-324', 'double'],
  [{ type: 'double', value: -0 }, '-0.0', 'double'],
  [{ type: 'double', value: Number.NaN }, 'NaN', 'double'],
  [{ type: 'double', value: Number.NEGATIVE_INFINITY }, '-Infinity', 'double'],
  [{ type: 'decimal', unscaled: -5n, precision: 10, scale: 2 }, '-0.05', 'decimal(10,2)'],
  [{ type: 'decimal', unscaled: 10n ** 38n - 1n, precision: 38, scale: 0 }, '9'.repeat(38), 'decimal(38,0)'],
  [{ type: 'string', value: '' }, '', 'string'],
  [
    { type: 'string', value: `'\\ " \${env:PATH} %_ \n\t ? :a /* -- */ é 😀 ${every}` },
    `'\\ " \${env:PATH} %_ \n\t ? :a /* -- */ é 😀 ${every}`,
    'string',
  ],
  [{ type: 'date', days: -719162 }, '0001-01-01', 'date'],
  [{ type: 'date', days: 2932896 }, '9999-12-31', 'date'],
  [{ type: 'timestamp', micros: -1n }, '1969-12-31 23:59:59.999999', 'timestamp'],
  [{ type: 'timestamp_ntz', micros: 253402300799999999n }, '9999-12-31 23:59:59.999999', 'timestamp_ntz'],
];

const integer = { kind: { case: 'integer', value: {} } } as const;

suite('values of parameters in the running Spark', () => {
  let connect: SparkConnectServer;
  const folder = temporaryFolder('allowlist-values');

  before(async () => {
    connect = await startSparkConnect();
  });

  after(async () => {
    await connect.stop();
    removeFolder(folder);
  });

  function filled(sql: string, values: ParameterValues): string {
    return fillStatement({ statement: checkStatement(sql), values }).text;
  }

  test('each is what was given, with its type', async () => {
    const columns = cases.map(() => 'cast(? as string), typeof(?)').join(', ');
    const text = filled(
      `select ${columns}`,
      cases.flatMap(([value]) => [value, value]),
    );
    const [row] = await inSession(connect.url, (session) => sparkRows(session, planOf(text)));
    assert.deepEqual(
      row,
      cases.flatMap(([, shown, type]) => [shown, type]),
    );
  });

  test('bytes are what was given', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const text = filled('select hex(?)', [{ type: 'binary', value: bytes }]);
    const [row] = await inSession(connect.url, (session) => sparkRows(session, planOf(text)));
    assert.deepEqual(row, [Buffer.from(bytes).toString('hex').toUpperCase()]);
  });

  test('more than four stay in their order, which Spark itself loses', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const sql = `select ${numbers.map(() => '?').join(', ')}`;
    const text = filled(
      sql,
      numbers.map((number) => ({ type: 'int', value: BigInt(number) })),
    );
    const literals: Literal[] = numbers.map((value) => ({ literalType: { case: 'integer', value } }));
    const [ours, theirs] = await inSession(connect.url, async (session) => [
      await sparkRows(session, planOf(text)),
      await sparkRows(session, planOf(sql, literals)),
    ]);
    assert.deepEqual(
      ours?.map((row) => row.map(Number)),
      [numbers],
    );
    assert.notDeepEqual(
      theirs?.map((row) => row.map(Number)),
      [numbers],
    );
  });

  test('a text that Spark would run as code stays a text', async () => {
    const bare = await BareConnect.open(connect.url, join(folder, 'secrets'));
    try {
      const code = `\n, (select max(value) from text.\`${bare.folder}/secret.txt\`) --`;
      const field = `a', (select max(value) from text.\`${bare.folder}/secret.txt\`), 'b`;
      const minusFive: Literal = { literalType: { case: 'integer', value: -5 } };
      const hidden: Literal = { literalType: { case: 'string', value: code } };
      assert.equal(await bare.try('select 1 -?, ?', [minusFive, hidden]), 'reads the file');
      assert.equal(await bare.try('select 1 -:a, :b', { a: minusFive, b: hidden }), 'reads the file');
      const struct: Literal = {
        literalType: {
          case: 'struct',
          value: {
            structType: { kind: { case: 'struct', value: { fields: [{ name: field, dataType: integer }] } } },
            elements: [{ literalType: { case: 'integer', value: 1 } }],
          },
        },
      };
      assert.equal(await bare.try('select ?', [struct]), 'reads the file');
      const text = filled('select 1 -?, ?', [
        { type: 'int', value: -5n },
        { type: 'string', value: code },
      ]);
      const rows = await inSession(connect.url, (session) => sparkRows(session, planOf(text)));
      assert.deepEqual(
        rows.map(([number, shown]) => [Number(number), shown]),
        [[6, code]],
      );
    } finally {
      await bare.close();
    }
  });
});
