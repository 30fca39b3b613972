import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { sparkHome } from '../../support/spark-parts.ts';

/** Enough that neither side waits for the other, and little enough for the pipes. */
const batchSize = 500;

/** Spark's own parser, in a Java process: the classes that a Spark of this version parses statements with. */
export class SparkParser implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor() {
    const classPath = join(sparkHome, 'jars', '*');
    const program = join(import.meta.dirname, 'PrintTrees.java');
    // Spark logs to standard output unless it is told otherwise.
    const quiet = '-Dlog4j2.level=OFF';
    this.#process = spawn('java', ['-Xmx1g', quiet, '-cp', classPath, program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (this.#process.stdout === null) throw new Error('Spark cannot be read from');
    this.#reader = createInterface({ input: this.#process.stdout, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** The tree of each statement, or a line that begins with an exclamation mark if Spark refuses it. */
  async *trees(statements: Iterable<string>): AsyncGenerator<readonly [statement: string, tree: string]> {
    let asked: readonly string[] = [];
    for (const next of batches(statements)) {
      // Spark works on the next ones while these are looked at.
      this.#ask(next);
      yield* this.#answers(asked);
      asked = next;
    }
    yield* this.#answers(asked);
  }

  /** The state machines of Spark's lexer and parser, as numbers. */
  async machines(): Promise<{ readonly lexer: readonly number[]; readonly parser: readonly number[] }> {
    this.#process.stdin?.write('machines\n');
    const numbers = async () => (await this.#line()).split(' ').map(Number);
    return { lexer: await numbers(), parser: await numbers() };
  }

  #ask(statements: readonly string[]): void {
    const lines = statements.map((statement) => `=${Buffer.from(statement, 'utf8').toString('base64')}\n`);
    this.#process.stdin?.write(lines.join(''));
  }

  async *#answers(statements: readonly string[]): AsyncGenerator<readonly [string, string]> {
    for (const statement of statements) yield [statement, await this.#line()];
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the process with Spark’s parser has ended');
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin?.end();
    this.#process.kill();
    if (this.#process.exitCode === null && this.#process.signalCode === null) await ended;
    this.#reader.close();
  }
}

function* batches(statements: Iterable<string>): Generator<readonly string[]> {
  let batch: string[] = [];
  for (const statement of statements) {
    batch.push(statement);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
