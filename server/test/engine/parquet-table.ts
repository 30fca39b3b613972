import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import { arrowSchemaOf } from '../../src/engine/duckdb/result/encode-result.ts';
import type { EngineTable } from '../../src/ports/engine.ts';

/** The rows of a query as a table: one Parquet file for each of the queries, in this order. */
export async function parquetTable(folder: string, name: string, ...queries: string[]): Promise<EngineTable> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const files: string[] = [];
    let schemaMessage = new Uint8Array(0);
    for (const query of queries) {
      const file = join(folder, `${name}-${files.length}.parquet`);
      const result = await connection.stream(`SELECT * FROM (${query}) LIMIT 0`);
      schemaMessage = new Uint8Array(encodeSchema(arrowSchemaOf(result.columnNames(), result.columnTypes())));
      await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`);
      files.push(file);
    }
    return { name, schemaMessage, files };
  } finally {
    connection.disconnectSync();
    instance.closeSync();
  }
}
