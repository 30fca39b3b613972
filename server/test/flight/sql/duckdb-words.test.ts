import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as words from '../../../src/flight/sql/metadata/duckdb-words.ts';
import { sqlInfoValues } from '../../../src/flight/sql/metadata/sql-info-values.ts';
import { runPython } from '../../support/python.ts';

const script = `
import json, sys, duckdb
given = json.load(sys.stdin)
con = duckdb.connect()
values = {'BIGINT': '1::BIGINT', 'BLOB': "'1'::BLOB", 'BOOLEAN': 'true', 'VARCHAR': "'1'", 'DATE': "DATE '2020-01-01'",
  'DECIMAL(18,3)': '1::DECIMAL(18,3)', 'DOUBLE': '1::DOUBLE', 'INTEGER': '1::INTEGER', 'INTERVAL': 'INTERVAL 1 DAY',
  'FLOAT': '1::FLOAT', 'SMALLINT': '1::SMALLINT', 'TIME': "TIME '01:00:00'", 'TIMESTAMP': "TIMESTAMP '2020-01-01'", 'TINYINT': '1::TINYINT'}
def castable(source, target):
    try:
        con.execute(f'select cast(x as {target}) from (select {values[source]} as x)').fetchall()
    except Exception as error:
        return 'Unimplemented' not in str(error)
    return True
known = {row[0] for row in con.execute('select lower(function_name) from duckdb_functions()').fetchall()}
print(json.dumps({
    'keywords': [row[0] for row in con.execute('select distinct keyword_name from duckdb_keywords() order by 1').fetchall()],
    'unknown': [name for name in given['functions'] if name not in known],
    'casts': [[number for number, target in enumerate(given['types']) if castable(source, target)] for source in given['types']],
    'nulls': [row[0] for row in con.execute('select x from (values (1), (null)) v(x) order by x desc').fetchall()],
}))
`;

/** What each number of SqlSupportsConvert is in DuckDB. */
const types =
  'BIGINT,BLOB,BOOLEAN,VARCHAR,DATE,DECIMAL(18;3),DOUBLE,INTEGER,INTERVAL,INTERVAL,BLOB,VARCHAR,DECIMAL(18;3),FLOAT,SMALLINT,TIME,TIMESTAMP,TINYINT,BLOB,VARCHAR'
    .split(',')
    .map((name) => name.replace(';', ','));

test('keywords, functions, casts and the place of nulls are those of DuckDB', async () => {
  const functions = [
    ...words.numericFunctions,
    ...words.stringFunctions,
    ...words.datetimeFunctions,
    ...words.systemFunctions,
  ];
  const duckdb = (await runPython(['-c', script], { functions, types })) as Record<string, unknown>;
  assert.deepEqual(duckdb.keywords, words.keywords);
  assert.deepEqual(duckdb.unknown, []);
  const facts = {
    serverVersion: '',
    connectionsMax: 1,
    preparedMax: 1,
    preparedIdleMs: 1,
    statementBytesMax: 1,
  };
  const casts = sqlInfoValues(facts).get(517);
  assert.equal(casts?.kind, 'map');
  assert.deepEqual(
    duckdb.casts,
    types.map((_, number) => (casts?.kind === 'map' ? casts.value.get(number) : null)),
  );
  assert.deepEqual(duckdb.nulls, [1, null]);
});
