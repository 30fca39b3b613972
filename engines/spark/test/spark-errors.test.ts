import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorKind, FrameholdError } from '../../../server/src/model/errors.ts';
import { ConnectError, type ConnectErrorDetails } from '../src/connect/connect-error.ts';
import { fromSpark, type SparkErrorContext } from '../src/spark-errors.ts';

/** The caller's `select  no_such from Trades`, as the allowlist sends it. */
const context: SparkErrorContext = {
  statement: '-- mine\nselect  no_such\nfrom Trades',
  text: 'SELECT no_such FROM `fh_0` AS `Trades`',
  places: new Uint32Array([0, 8, 7, 16, 15, 24, 20, 29]),
  tables: ['Trades'],
};

function ofSpark(message: string, details: ConnectErrorDetails = {}): FrameholdError {
  return fromSpark(new ConnectError('spark', message, details), context);
}

test('an error about the statement keeps the sentences of Spark that help, and its place in the text of the caller', () => {
  const error = ofSpark(
    "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `no_such` cannot be resolved. Did you mean one of the following? [`fh_0`.`price`]. SQLSTATE: 42703; line 1 pos 7;\n'Project ['no_such]\n+- SubqueryAlias Trades\n   +- Relation [price#1] parquet file:/srv/cold/1.parquet\n",
    {
      condition: 'UNRESOLVED_COLUMN.WITH_SUGGESTION',
      sqlState: '42703',
      places: [{ start: 7, stop: 13, fragment: 'no_such', objectType: '' }],
    },
  );
  assert.equal(error.kind, 'sql_invalid');
  assert.equal(
    error.message,
    'A column, variable, or function parameter with name `no_such` cannot be resolved. Did you mean one of the following? [`Trades`.`price`].',
  );
  assert.deepEqual(error.place, { position: 16, line: 2, column: 9 });
});

test('settings that no caller can change are not advised', () => {
  const error = ofSpark(
    '[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. If necessary set "spark.sql.ansi.enabled" to "false" to bypass this error. SQLSTATE: 22012\n== SQL (line 1, position 8) ==\nselect 1/0\n',
    { condition: 'DIVIDE_BY_ZERO', sqlState: '22012' },
  );
  assert.equal(error.kind, 'sql_failed');
  assert.equal(
    error.message,
    'Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.',
  );
});

test('a missing table is called what the caller calls it', () => {
  const error = ofSpark('[TABLE_OR_VIEW_NOT_FOUND] The table or view `fh_0` cannot be found.', {
    condition: 'TABLE_OR_VIEW_NOT_FOUND',
    sqlState: '42P01',
    parameters: new Map([['relationName', '`fh_0`']]),
  });
  assert.deepEqual([error.kind, error.message], ['sql_invalid', 'There is no table `Trades`.']);
});

test('what speaks of files, hosts and classes is not shown, and is the cause for the log', () => {
  const cases: readonly (readonly [string, ConnectErrorDetails, ErrorKind])[] = [
    [
      '[FAILED_READ_FILE.NO_HINT] Encountered error while reading file s3a://held/acme/1.parquet. SQLSTATE: KD001',
      { condition: 'FAILED_READ_FILE.NO_HINT', sqlState: 'KD001' },
      'engine_failed',
    ],
    [
      '[PATH_NOT_FOUND] Path does not exist: file:/srv/cold/1.parquet. SQLSTATE: 42K03',
      { condition: 'PATH_NOT_FOUND', sqlState: '42K03' },
      'engine_failed',
    ],
    [
      '[INTERNAL_ERROR] The Spark SQL phase optimization failed with an internal error. SQLSTATE: XX000',
      { condition: 'INTERNAL_ERROR', sqlState: 'XX000' },
      'engine_failed',
    ],
    [
      'Job aborted due to stage failure: Total size of serialized results of 9 tasks (1.1 GiB) is bigger than spark.driver.maxResultSize 1024.0 MiB',
      { classes: ['org.apache.spark.SparkException'] },
      'sql_memory',
    ],
    [
      'Job aborted due to stage failure: Task 1 in stage 2.0 failed 4 times, most recent failure: java.lang.OutOfMemoryError: Java heap space at 10.1.2.3',
      {},
      'sql_memory',
    ],
    [
      'Job aborted due to stage failure: Lost task 0.3 in stage 1.0 (TID 7) (10.1.2.3 executor 1): ExecutorLostFailure (executor 1 exited)',
      {},
      'engine_failed',
    ],
    [
      'Job aborted due to stage failure',
      { causes: ['java.io.IOException: No space left on device /tmp/blockmgr'] },
      'sql_memory',
    ],
    ['java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.', {}, 'engine_failed'],
    ['NullPointerException at org.apache.spark.Foo(/opt/spark/jars)', {}, 'engine_failed'],
  ];
  for (const [message, details, kind] of cases) {
    const error = ofSpark(message, details);
    assert.equal(error.kind, kind, message);
    assert.doesNotMatch(
      `${error.message} ${error.hint}`,
      /s3a:|file:|\/srv|\/tmp|\/opt|10\.1|java|org\.apache|fh_\d/,
    );
    assert.ok(error.hint, message);
    assert.match(String((error.cause as Error).message), /./);
  }
});

test('addresses and views are taken out of texts about the statement, too', () => {
  const error = ofSpark(
    '[DATATYPE_MISMATCH.X] Cannot resolve "fh_0.a" of fh_c12 and `fh_7`, read from s3a://held/a b/1.parquet or file:///srv/x.parquet. SQLSTATE: 42K09',
    { condition: 'DATATYPE_MISMATCH.X', sqlState: '42K09' },
  );
  assert.equal(error.kind, 'sql_invalid');
  assert.doesNotMatch(error.message, /fh_|s3a|srv/);
  assert.match(error.message, /`Trades`\.a/);
});

test('what happens between this server and Spark is said plainly', () => {
  const kinds: Readonly<Record<string, ErrorKind>> = {
    unreachable: 'unavailable',
    deadline: 'unavailable',
    lost: 'engine_failed',
    interrupted: 'engine_failed',
    unauthenticated: 'engine_failed',
    protocol: 'engine_failed',
  };
  for (const [reason, kind] of Object.entries(kinds)) {
    const error = fromSpark(
      new ConnectError(reason as ConnectError['reason'], 'connect ECONNREFUSED 10.1.2.3:15002'),
      context,
    );
    assert.equal(error.kind, kind, reason);
    assert.doesNotMatch(error.message, /10\.1/);
    assert.ok(error.hint);
  }
  const own = new FrameholdError('sql_refused', 'no');
  assert.equal(fromSpark(own, context), own);
  assert.equal(fromSpark(new TypeError('x'), context).kind, 'engine_failed');
});

test('a place is counted in code points by Spark and in code units for the caller', () => {
  const moved = fromSpark(
    new ConnectError('spark', '[X] y. SQLSTATE: 42703', {
      condition: 'X',
      sqlState: '42703',
      places: [{ start: 13, stop: 13, fragment: 'b', objectType: '' }],
    }),
    {
      statement: "select '😀',\n  b",
      text: "SELECT '😀' , b",
      places: new Uint32Array([0, 0, 7, 7, 12, 11, 14, 15]),
      tables: [],
    },
  );
  assert.deepEqual(moved.place, { position: 15, line: 2, column: 3 });
});
