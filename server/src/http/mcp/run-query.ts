import type { SqlRows } from '../../frames/sql/sql.ts';
import type { HttpContext } from '../context.ts';
import { RowCollector } from './row-collector.ts';
import type { Tool, ToolCall } from './tool.ts';

export const runQuery: Tool = {
  name: 'query',
  title: 'Query frames with SQL',
  description:
    'Runs one SQL query (DuckDB syntax) over data frames; frames are tables, for example select count(*) from trades or select * from "trades@3". It only reads: statements that change something are refused. Few rows come back, so aggregate, filter and limit in SQL. If truncated is present, rows are missing from the answer. 64-bit integers and decimals are strings, so that no digit is lost.',
  properties: {
    sql: { type: 'string', description: 'One SELECT statement.' },
    parameters: {
      type: ['array', 'object', 'null'],
      description: 'Values of $1, $2 … as a list, or of $name as an object.',
    },
    limit: { type: 'integer', minimum: 1, description: 'The most rows to return.' },
  },
  required: ['sql'],
  outputSchema: {
    type: 'object',
    required: ['columns', 'rows', 'rowCount', 'sources'],
    properties: {
      columns: { type: 'array', items: { type: 'object', required: ['name', 'type'] } },
      rows: { type: 'array', items: { type: 'array' }, description: 'One array for each row.' },
      rowCount: { type: 'integer', description: 'Rows in this answer.' },
      sources: { type: 'array', items: { type: 'string' }, description: 'name@version of what was read.' },
      truncated: { type: 'string', description: 'Why rows are missing, and what to do.' },
    },
  },
  run: async (context, given, call) => {
    const sql = given.requiredText('sql', '{"sql": "select count(*) from trades"}');
    const values = given.values('parameters');
    const { rowsMax } = context.mcp;
    const limit = given.count('limit', rowsMax, rowsMax);
    const parameters = values === undefined ? null : { kind: 'json' as const, values };
    const outcome = await context.sql.execute(
      call.caller,
      { sql, parameters, readOnly: true, heldOnly: true },
      call.signal,
    );
    if (outcome.kind !== 'rows') throw new Error('a statement that only reads has changed something');
    try {
      return await collected(context, outcome, limit, call);
    } finally {
      await outcome.release();
    }
  },
};

async function collected(
  { renderer, mcp: { bytesMax } }: HttpContext,
  rows: SqlRows,
  rowsMax: number,
  { signal }: ToolCall,
): Promise<string> {
  const collector = new RowCollector({ rowsMax, bytesMax });
  // One more than is returned, to know whether there are more.
  const options = { format: 'json' as const, query: '', quoteLargeNumbers: true, limit: rowsMax + 1 };
  for await (const chunk of renderer.renderStream(rows, options, signal)) if (!collector.take(chunk)) break;
  const columns = rows.columns.map(({ name, type }) => ({ name, type }));
  const { count, reason } = collector;
  const head = JSON.stringify({ columns }).slice(0, -1);
  const tail = {
    rowCount: count,
    sources: rows.sources,
    ...(reason === null ? {} : { truncated: truncation(reason, count, bytesMax) }),
  };
  return `${head},"rows":${collector.text},${JSON.stringify(tail).slice(1)}`;
}

function truncation(reason: 'rows' | 'bytes', count: number, bytesMax: number): string {
  const advice = 'Aggregate, filter, choose fewer columns, or page with ORDER BY, LIMIT and OFFSET.';
  if (reason === 'rows') return `The result has more than ${count} rows; the rest is not here. ${advice}`;
  return `The result is larger than ${bytesMax} bytes; only its first ${count} rows are here. ${advice}`;
}
