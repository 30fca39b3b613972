import type { ParserRuleContext, Token } from 'antlr4ng';
import * as tree from '../gen/SqlBaseParser.js';
import { refused } from '../refusal.ts';

const into = 'To keep rows as a frame, send the query with "into": "name" in POST /v1/sql.';
const queriesOnly = 'Spark runs queries only: SELECT, WITH, VALUES, TABLE.';

/** First words of statements that people try, each with what to do instead. */
const hints: Readonly<Record<string, string>> = {
  CREATE: into,
  INSERT: into,
  REPLACE: into,
  DROP: 'Drop a frame with DELETE /v1/frames/name, or with DROP TABLE name on the default engine.',
  DELETE: 'Keep the other rows: send a query with "into": "name".',
  UPDATE: 'Make the next version: send a query with "into": "name".',
  MERGE: 'Make the next version out of a join: send it with "into": "name".',
  EXPLAIN: 'EXPLAIN works on the default engine.',
  DESCRIBE: 'GET /v1/frames/name shows the columns of a frame.',
  DESC: 'GET /v1/frames/name shows the columns of a frame.',
  SHOW: 'GET /v1/frames lists the frames.',
  SET: 'The settings of a session are fixed: times are in UTC.',
  RESET: 'The settings of a session are fixed: times are in UTC.',
  EXECUTE: 'Send the statement itself, and its values as parameters.',
  BEGIN: 'Send one query at a time.',
  USE: 'Frames are found by their names.',
};

/** Throws for a statement that is not one query. */
export function refuseOther(root: tree.CompoundOrSingleStatementContext): void {
  const statement = root.singleStatement()?.statement();
  if (statement instanceof tree.StatementDefaultContext) return;
  const first = firstToken(root);
  const word = (first?.text ?? '').toUpperCase();
  throw refused(
    `${word === 'WITH' ? 'This statement' : word} is not offered on Spark. ${queriesOnly}`,
    first?.start ?? null,
    hints[word],
  );
}

function firstToken(root: ParserRuleContext): Token | null {
  return root.start;
}
