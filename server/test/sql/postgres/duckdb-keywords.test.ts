import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { duckdbKeywords } from '../../../src/sql/postgres/text/unquoted-names.ts';
import { PostgresServer } from '../../support/postgres-server.ts';

/** PostgreSQL's U and C: a word that can be a column's name without quotes. */
const namesOfPostgres = ['U', 'C'];

test('the list has every word that PostgreSQL 15 takes for a column, and DuckDB does not', async () => {
  const server = await PostgresServer.start();
  const rows = await server.query('SELECT word, catcode FROM pg_get_keywords()');
  await server.stop();
  const kinds = new Map(rows.map(({ word, catcode }) => [String(word), String(catcode)]));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const own = await connection.runAndReadAll('SELECT DISTINCT keyword_name FROM duckdb_keywords()');
  const words = new Set([...kinds.keys(), ...own.getRows().map(([word]) => String(word))]);
  const refused: string[] = [];
  for (const word of [...words].sort()) {
    const kind = kinds.get(word);
    if (kind !== undefined && !namesOfPostgres.includes(kind)) continue;
    const from = `FROM (SELECT 1 AS "${word}") AS t`;
    try {
      await connection.run(`SELECT 0, ${word} ${from} WHERE ${word} > 0 ORDER BY ${word}`);
    } catch {
      refused.push(word);
      await connection.run(`SELECT 0, "${word}" ${from} WHERE "${word}" > 0 ORDER BY "${word}"`);
    }
  }
  connection.disconnectSync();
  instance.closeSync();
  assert.deepEqual(refused, [...duckdbKeywords].sort());
});
