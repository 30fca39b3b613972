import type { Change, EngineName, Framehold, Json, RowFormat } from '../../../client/src/index.ts';
import { splitStatements } from '../../../console/src/sql/statements.ts';
import type { Call } from '../command.ts';
import { rowsText } from '../output/readable-numbers.ts';
import { printRows } from '../output/rows-table.ts';
import { safeText } from '../output/safe-text.ts';
import { answerChunks } from '../transfer/answer-chunks.ts';
import { isBinary } from '../transfer/output-format.ts';

export interface StatementOptions {
  readonly parameters?: readonly Json[] | { readonly [name: string]: Json };
  readonly engine?: EngineName;
  readonly limit?: number;
  readonly into?: string;
}

/** The statements of a text, without comments and semicolons around them. */
export function statementsIn(text: string): string[] {
  return splitStatements(text).map(({ from, to }) => text.slice(from, to));
}

/** Of a table, whose rows are all in memory, unless `--limit` says otherwise. */
const tableRowsDefault = 1_000;

/** Runs a statement and shows its rows as a table. */
export async function runAsTable(
  { output, signal }: Pick<Call, 'output' | 'signal'>,
  client: Framehold,
  text: string,
  options: StatementOptions,
): Promise<void> {
  const outcome = await client.execute(text, { limit: tableRowsDefault, ...options, signal });
  if (outcome.kind === 'rows') await printRows(output, outcome);
  else await output.line(changeText(outcome));
}

/** Runs a statement and copies its rows as they arrive. */
export async function runAsStream(
  { output, errors, signal }: Pick<Call, 'output' | 'errors' | 'signal'>,
  client: Framehold,
  text: string,
  { into, ...options }: StatementOptions & { readonly format: RowFormat },
): Promise<void> {
  if (into !== undefined) {
    const change = await client.execute(text, { ...options, into, signal });
    if (change.kind === 'change') await output.line(JSON.stringify(change.frame));
    return;
  }
  const answer = await client.exportSql(text, { ...options, signal });
  const type = answer.headers.get('content-type') ?? '';
  // A statement that changes something returns a JSON object, whatever was asked for.
  if (type.startsWith('application/json') && options.format !== 'json') {
    errors.write(`${changeText(JSON.parse(await answer.text()) as Change)}\n`);
    return;
  }
  const chunks = answerChunks(client, answer, signal);
  await (isBinary(options.format) ? output.copy(chunks) : output.copyText(chunks));
  if (options.format === 'json') await output.write('\n');
}

function changeText({ frame, rows }: Pick<Change, 'frame' | 'rows'>): string {
  return frame === null ? 'Done.' : safeText(`${frame.handle}  ${rowsText(rows)}`);
}
