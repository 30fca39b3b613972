import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Framehold } from '../../../client/src/index.ts';
import { splitStatements } from '../../../console/src/sql/statements.ts';
import type { Call } from '../command.ts';
import { stateDirectory } from '../connection/profiles.ts';
import { Interrupted } from '../interrupted.ts';
import { OutputClosed } from '../output/standard-output.ts';
import { describeFailure } from '../report-error.ts';
import { SqlCompletion } from './complete-sql.ts';
import { HistoryFile, historyMax } from './history-file.ts';
import { runAsTable, type StatementOptions } from './run-statements.ts';
import { runShellCommand } from './shell-commands.ts';

const prompt = 'framehold> ';
const nextLinePrompt = '      ...> ';
/** What fits on a screen or two; `--limit` changes it. */
const rowsDefault = 100;
/** Of one statement that is typed or pasted; the server has its own limit. */
const statementCharactersMax = 16 * 1024 * 1024;

/** `framehold sql` on a terminal. Returns the exit code. */
export async function runShell(call: Call, client: Framehold, options: StatementOptions): Promise<number> {
  const shell = new Shell(call, client, { limit: rowsDefault, ...options });
  return await shell.run();
}

class Shell {
  readonly #call: Call;
  readonly #client: Framehold;
  readonly #options: StatementOptions;
  readonly #history: HistoryFile;
  readonly #lines: Interface;
  readonly #ended = Promise.withResolvers<number>();
  /** Lines that were typed or pasted and not looked at yet. */
  readonly #waiting: string[] = [];
  #statement = '';
  #running: AbortController | null = null;
  #isBusy = false;
  #isClosed = false;

  constructor(call: Call, client: Framehold, options: StatementOptions) {
    this.#call = call;
    this.#client = client;
    this.#options = options;
    this.#history = new HistoryFile(join(stateDirectory(call.environment), 'sql-history'));
    const completion = new SqlCompletion(client);
    this.#lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      prompt,
      history: this.#history.read(),
      historySize: historyMax,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, result: [string[], string]) => void) => {
        void completion
          .complete(`${this.#statement}${line}`)
          .then(({ word, found }) => done(null, [[...found], word]));
      },
    });
  }

  async run(): Promise<number> {
    const { output, host, signal } = this.#call;
    await output.line(`framehold ${host.version}, ${this.#client.url}  \\? for help, \\q to leave.`);
    this.#lines.on('line', (line) => {
      this.#history.add(line);
      this.#waiting.push(line);
      void this.#work();
    });
    // The terminal is in raw mode: Ctrl-C arrives here, not as a signal.
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#lines.on('close', () => {
      this.#isClosed = true;
      this.#waiting.length = 0;
      this.#running?.abort(new Interrupted('SIGINT'));
      this.#ended.resolve(0);
    });
    signal.addEventListener('abort', () => this.#lines.close(), { once: true });
    this.#lines.prompt();
    const code = await this.#ended.promise;
    await output.write('\n').catch(() => {});
    signal.throwIfAborted();
    return code;
  }

  /** One line after the other, also if many were pasted while a statement ran. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift())
        await this.#take(line);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      this.#lines.close();
      return;
    } finally {
      this.#isBusy = false;
    }
    if (this.#isClosed) return;
    this.#lines.setPrompt(this.#statement === '' ? prompt : nextLinePrompt);
    this.#lines.prompt();
  }

  async #take(line: string): Promise<void> {
    if (this.#statement === '' && line.trimStart().startsWith('\\')) {
      if (/^\\q(uit)?$/.test(line.trim())) return this.#lines.close();
      const { output } = this.#call;
      await this.#attempt((signal) => runShellCommand({ output, signal }, this.#client, line.trim()));
      return;
    }
    this.#statement += `${line}\n`;
    if (this.#statement.length > statementCharactersMax) {
      this.#statement = '';
      this.#call.errors.write(
        'framehold: The statement is longer than 16 MiB.\n  framehold sql FILE runs a file.\n',
      );
      return;
    }
    const text = this.#statement;
    const statements = splitStatements(text);
    const complete = statements.filter(({ to, end }) => text.slice(to, end).includes(';'));
    const last = statements.at(-1);
    this.#statement = last === undefined || complete.includes(last) ? '' : text.slice(last.from);
    for (const { from, to } of complete) {
      const isDone = await this.#attempt((signal) =>
        runAsTable({ output: this.#call.output, signal }, this.#client, text.slice(from, to), this.#options),
      );
      // Those that were written behind it may rely on it.
      if (!isDone) break;
    }
  }

  async #attempt(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const running = new AbortController();
    this.#running = running;
    try {
      await work(running.signal);
      return true;
    } catch (error) {
      if (error instanceof OutputClosed) throw error;
      const context = { url: this.#client.url, hasToken: true };
      this.#call.errors.write(
        running.signal.aborted ? 'Cancelled.\n' : await describeFailure(error, context),
      );
      return false;
    } finally {
      this.#running = null;
    }
  }

  /** Ends the statement that runs; else forgets what was typed so far. */
  #interrupt(): void {
    this.#waiting.length = 0;
    if (this.#running !== null) {
      this.#running.abort(new Interrupted('SIGINT'));
      return;
    }
    this.#statement = '';
    process.stdout.write('^C\n');
    // readline keeps the line that was begun.
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#lines.setPrompt(prompt);
    this.#lines.prompt();
  }
}
