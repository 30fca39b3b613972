import { readFileSync } from 'node:fs';
import type { EngineName, RowFormat } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { fileError, LocalError } from '../local-error.ts';
import { wantsTable } from '../output/answers.ts';
import { parseParameters } from '../sql/parameters.ts';
import { runAsStream, runAsTable, type StatementOptions, statementsIn } from '../sql/run-statements.ts';
import { isBinary, refuseBinaryOnTerminal } from '../transfer/output-format.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, output } = call;
  const [path] = words;
  const command = options.text('command');
  if (command !== undefined && path !== undefined)
    throw new UsageError('The SQL is given twice.', 'Give -c SQL or a file.');
  const statementOptions = optionsOf(call);
  if (command === undefined && path === undefined && process.stdin.isTTY === true && output.isTerminal) {
    const { runShell } = await import('../sql/shell.ts');
    return await runShell(call, await call.connect(), statementOptions);
  }
  const statements = statementsIn(command ?? readText(path ?? '-'));
  if (statements.length === 0)
    throw new UsageError('There is no statement.', "Write framehold sql -c 'SELECT …'.");
  const format = (options.text('format') ?? 'ndjson') as RowFormat;
  if (!wantsTable(call)) {
    refuseBinaryOnTerminal(format, output, 'Send it into a file or a pipe, or give --format csv.');
    if (isBinary(format) && statements.length > 1)
      throw new UsageError(
        `${format} can have the rows of one statement only.`,
        'Give --format ndjson, or one statement.',
      );
  }
  const client = await call.connect();
  for (const text of statements)
    if (wantsTable(call)) await runAsTable(call, client, text, statementOptions);
    else await runAsStream(call, client, text, { ...statementOptions, format });
  return 0;
}

function optionsOf({ options }: Call): StatementOptions {
  const parameters = parseParameters(options.all('param'));
  const engine = options.text('engine') as EngineName | undefined;
  const limit = options.count('limit');
  const into = options.text('into');
  return {
    ...(parameters === undefined ? {} : { parameters }),
    ...(engine === undefined ? {} : { engine }),
    ...(limit === undefined ? {} : { limit }),
    ...(into === undefined ? {} : { into }),
  };
}

/** Of SQL: far more than a server takes in one statement. */
const textBytesMax = 64 * 1024 * 1024;

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (thrown) {
    throw fileError(thrown, path);
  }
  if (bytes.length <= textBytesMax) return bytes.toString('utf8').replace(/^\ufeff/, '');
  throw new LocalError(`${path} is larger than 64 MiB.`, 'Is it a file of SQL? framehold put stores data.');
}
