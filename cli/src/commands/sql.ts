import { readFile } from 'node:fs/promises';
import type { EngineName, RowFormat } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { fileError, LocalError } from '../local-error.ts';
import { wantsTable } from '../output/answers.ts';
import { checkTableRows } from '../output/rows-table.ts';
import { parseParameters } from '../sql/parameters.ts';
import { runAsStream, runAsTable, type StatementOptions, statementsIn } from '../sql/run-statements.ts';
import { isBinary, refuseBinaryOnTerminal } from '../transfer/output-format.ts';
import { readStandardInput } from '../transfer/standard-input.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, output } = call;
  const [path] = words;
  const command = options.text('command');
  if (command !== undefined && path !== undefined)
    throw new UsageError('The SQL is given twice.', 'Give -c SQL or a file.');
  const statementOptions = optionsOf(call);
  if (wantsTable(call)) checkTableRows(statementOptions.limit);
  if (command === undefined && path === undefined && process.stdin.isTTY === true && output.isTerminal) {
    refuseInShell(call);
    const { runShell } = await import('../sql/shell.ts');
    return await runShell(call, await call.connect(), statementOptions);
  }
  const statements = statementsIn(command ?? (await readText(path ?? '-')));
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

/** The shell shows tables. */
function refuseInShell({ options }: Call): void {
  const format = options.text('format') ?? 'table';
  if (format === 'table' && !options.has('into')) return;
  throw new UsageError(
    `${format === 'table' ? '--into' : `--format ${format}`} needs a statement.`,
    "Give it with -c 'SELECT …', or as a file.",
  );
}

/** Of SQL: far more than a server takes in one statement. */
const textBytesMax = 64 * 1024 * 1024;

async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = path === '-' ? await readStandardInput(textBytesMax) : await readFile(path);
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && path.includes(' '))
      throw new UsageError(`There is no file ${path}.`, "If it is SQL, write framehold sql -c 'SELECT …'.");
    throw fileError(thrown, path);
  }
  if (bytes.length <= textBytesMax) return new TextDecoder().decode(bytes);
  throw new LocalError(
    `${path === '-' ? 'Standard input' : path} is larger than 64 MiB.`,
    'Is it SQL? framehold put stores data.',
  );
}
