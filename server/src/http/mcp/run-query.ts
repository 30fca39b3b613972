import { text } from 'node:stream/consumers';
import { mcpOptions } from '../../encode/mcp.ts';
import type { Tool } from './tool.ts';

export const runQuery: Tool = {
  name: 'query',
  title: 'Query frames with SQL',
  description:
    'Runs one SQL query (DuckDB syntax) over data frames; frames are tables, for example select count(*) from trades or select * from "trades@3". The rows that were appended after version 3 are "trades@3..", up to version 5 "trades@3..5": to see what is new, go on from the version that sources named before. It only reads: statements that change something are refused. The answer has columns (name, type), rows (an array for each row), rowCount and sources (name@version of what was read, name@3..5 of rows since a version). Few rows come back, so aggregate, filter and limit in SQL. If truncated is present, rows are missing from the answer, and it says what to do. 64-bit integers and decimals are strings, so that no digit is lost.',
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
    const { rowsMax, bytesMax } = context.mcp;
    const limit = given.count('limit', rowsMax, rowsMax);
    const parameters = values === undefined ? null : { kind: 'json' as const, values };
    const statement = context.sql.prepare(call.caller, sql, { readOnly: true, heldOnly: true });
    const outcome = await statement.execute(parameters, call.signal);
    if (outcome.kind !== 'rows') throw new Error('a statement that only reads has changed something');
    try {
      const options = mcpOptions(outcome, { rowsMax: limit, bytesMax });
      return await text(context.renderer.renderStream(outcome, options, call.signal));
    } finally {
      await outcome.release();
    }
  },
};
