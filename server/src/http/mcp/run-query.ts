import { FrameholdError } from '../../model/errors.ts';
import type { SqlRows } from '../../sql/sql.ts';
import type { HttpContext } from '../context.ts';
import { RowCollector } from './row-collector.ts';
import type { Tool, ToolCall } from './tool.ts';

export const runQuery: Tool = {
  name: 'query',
  title: 'Query frames with SQL',
  description:
    'Runs one SQL query (DuckDB syntax) over data frames; frames are tables, for example select count(*) from trades or select * from "trades@3". It only reads: statements that change something are refused. The answer has columns (name, type), rows (an array for each row), rowCount and sources (name@version of what was read). Few rows come back, so aggregate, filter and limit in SQL. If truncated is present, rows are missing from the answer, and it says what to do. 64-bit integers and decimals are strings, so that no digit is lost.',
  properties: {
    sql: { type: 'string', description: 'One SELECT statement.' },
    parameters: {
      type: ['array', 'object', 'null'],
      description: 'Values of $1, $2 … as a list, or of $name as an object.',
    },
    limit: { type: 'integer', minimum: 1, description: 'The most rows to return.' },
  },
  required: ['sql'],
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
  const columns = rows.columns.map(({ name, type }) => ({ name, type }));
  const head = JSON.stringify({ columns, sources: rows.sources }).slice(0, -1);
  const headBytes = Buffer.byteLength(head);
  if (headBytes > bytesMax) throw tooManyColumns(columns.length, bytesMax);
  const collector = new RowCollector({ rowsMax, bytesMax: bytesMax - headBytes });
  // One more than is returned, to know whether there are more.
  const options = { format: 'json' as const, query: '', quoteLargeNumbers: true, limit: rowsMax + 1 };
  for await (const chunk of renderer.renderStream(rows, options, signal)) if (!collector.take(chunk)) break;
  const { count, reason } = collector;
  const tail = {
    rowCount: count,
    ...(reason === null ? {} : { truncated: truncation(reason, count, bytesMax) }),
  };
  return `${head},"rows":${collector.text},${JSON.stringify(tail).slice(1)}`;
}

/** Names of columns may be longer than all rows. */
function tooManyColumns(count: number, bytesMax: number): FrameholdError {
  return new FrameholdError(
    'bad_request',
    `The result has ${count} columns, whose names do not fit into an answer of ${bytesMax} bytes.`,
    { hint: 'Choose columns: select a, b from …. describe_frame names them.' },
  );
}

function truncation(reason: 'rows' | 'bytes', count: number, bytesMax: number): string {
  const advice = 'Aggregate, filter, choose fewer columns, or page with ORDER BY, LIMIT and OFFSET.';
  if (reason === 'rows') return `The result has more than ${count} rows; the rest is not here. ${advice}`;
  return `The result is larger than ${bytesMax} bytes; only its first ${count} rows are here. ${advice}`;
}
