import type { Engine, EngineTable, StatementParameters } from '../../../server/src/ports/engine.ts';
import { readRows } from '../../../server/test/engine/read-rows.ts';
import { SparkEngine, type SparkEngineOptions } from '../src/spark-engine.ts';

/** An engine with limits that no test comes near, unless it sets its own. */
export function openSparkEngine(url: string, some: Partial<SparkEngineOptions> = {}): Promise<SparkEngine> {
  return SparkEngine.open({
    url,
    token: null,
    caFile: null,
    statementsMax: 2,
    queueMax: 100,
    queueWaitMs: 600_000,
    timeoutMs: 600_000,
    observe: () => {},
    ...some,
  });
}

/** A statement from its beginning to its last row. The tables are those that it reads, in any order. */
export async function rowsOf(
  engine: Engine,
  sql: string,
  tables: readonly EngineTable[] = [],
  parameters: StatementParameters | null = null,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown[][]> {
  const statement = await engine.begin(sql, 'acme', signal);
  try {
    const names = statement.shape.tables.map((name) => name.toLowerCase());
    const given = tables.filter(({ name }) => names.includes(name.toLowerCase()));
    const { schemaMessage } = await statement.bind({ tables: given, insertInto: null, parameters });
    const rows: unknown[][] = [];
    for await (const row of readRows(schemaMessage, statement.run(parameters))) rows.push(row);
    return rows;
  } finally {
    await statement.close();
  }
}
