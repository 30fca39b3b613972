import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** The socket, in the environment of the test files of a run. */
export const forksVariable = 'TEST_PYTHON_FORKS';

export interface EndedScript {
  /** Negative, or null, if a signal has ended it. */
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** null if there is no such Python: a file that is run by itself starts its own. */
export async function runInFork(
  args: readonly string[],
  input: string,
  options: { readonly timeoutMs: number; readonly socket?: string | undefined },
): Promise<EndedScript | null> {
  const { timeoutMs, socket = process.env[forksVariable] } = options;
  if (socket === undefined) return null;
  const connection = createConnection({ path: socket, allowHalfOpen: true });
  const timer = setTimeout(
    () => connection.destroy(new Error(`python has not ended within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const request = { arguments: args, input, folder: process.cwd(), environment: process.env };
    connection.end(JSON.stringify(request));
    const answer = await buffer(connection);
    const end = answer.indexOf('\n');
    if (end < 0) throw new Error('the Python of this run has ended');
    const head = JSON.parse(answer.toString('utf8', 0, end)) as {
      readonly code: number;
      readonly outputBytes: number;
      readonly processorSeconds: number;
    };
    addProcessorSeconds(head.processorSeconds);
    const middle = end + 1 + head.outputBytes;
    return {
      code: head.code,
      output: answer.toString('utf8', end + 1, middle),
      errors: answer.toString('utf8', middle),
    };
  } finally {
    clearTimeout(timer);
    connection.destroy();
  }
}

let processorSeconds = 0;

/** The forks are no children of this process: it notes their CPU time for the run's list of files. */
function addProcessorSeconds(seconds: number): void {
  const { TEST_RUNNING_FOLDER: folder } = process.env;
  if (folder !== undefined && processorSeconds === 0)
    process.on('exit', () =>
      writeFileSync(join(folder, `${process.pid}-forks.cpu`), `${processorSeconds} ${process.argv[1]}`),
    );
  processorSeconds += seconds;
}
