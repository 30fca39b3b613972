/**
 * An engine process whose statements are small programs, so that tests can have it do what no statement should: `rows 10 100` gives ten
 * batches of a hundred bytes, `wait 500` takes half a second and can be interrupted, and so on.
 */
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { serveStatements } from '../../src/engine/serve-statements.ts';
import type { IpcPiece, RunnerOptions, StatementRunner } from '../../src/engine/statement-runner.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { BindRequest, BoundStatement, StatementShape } from '../../src/ports/engine.ts';
import { timePasses } from '../support/passing-time.ts';

const encoder = new TextEncoder();
const hoard: Uint8Array[] = [];

class SampleRunner implements StatementRunner {
  readonly shape: StatementShape = {
    kind: 'query',
    target: null,
    tables: ['t'],
    upstreamQueries: [],
    catalog: [],
    parameterCount: 0,
  };
  readonly #words: readonly string[];
  readonly #options: RunnerOptions;
  readonly #interrupted = Promise.withResolvers<never>();

  constructor(sql: string, options: RunnerOptions) {
    this.#words = sql.split(' ');
    this.#options = options;
    this.#interrupted.promise.catch(() => {});
  }

  async bind(request: BindRequest): Promise<BoundStatement> {
    return {
      schemaMessage: encoder.encode(request.tables.map(({ name }) => name).join()),
      parameterSchemaMessage: request.insertInto ?? new Uint8Array(0),
    };
  }

  async *run(parameters: unknown): AsyncGenerator<IpcPiece, void, void> {
    const [verb, first = '0', second = '0'] = this.#words;
    switch (verb) {
      case 'rows':
        for (let at = 0; at < Number(first); at += 1)
          yield pieceOf(String(at), Buffer.alloc(Number(second), at));
        return;
      case 'wait':
        yield* this.#text('begun');
        await this.#sleep(Number(first));
        return yield* this.#text('over');
      case 'slow-rows':
        for (let at = 0; at < Number(first); at += 1) {
          await this.#sleep(Number(second));
          yield* this.#text(String(at));
        }
        return;
      case 'stubborn':
        yield* this.#text('begun');
        return await timePasses(Number(first), 'work that nothing interrupts');
      case 'spin':
        yield* this.#text('begun');
        await timePasses(50, 'the first batch leaves the process before it blocks');
        for (;;);
      case 'hoard':
        for (;;) {
          hoard.push(new Uint8Array(16 * 1024 ** 2).fill(1));
          await this.#sleep(5);
        }
      case 'heap': {
        const objects: unknown[] = [];
        for (;;) objects.push([objects.length, {}]);
      }
      case 'fail':
        yield* this.#text('begun');
        throw new FrameholdError('sql_failed', 'It failed.', { hint: 'Try another.' });
      case 'throw':
        throw new Error('a fault with a /path/of/the/server in it');
      case 'environment':
        return yield* this.#text(JSON.stringify(process.env));
      case 'descriptors':
        return yield* this.#text(JSON.stringify(readdirSync('/proc/self/fd').map(target)));
      case 'parameters':
        return yield* this.#text(
          JSON.stringify(parameters, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
        );
      case 'place':
        if (existsSync('spill'))
          throw new FrameholdError('sql_failed', 'A file of another statement is here.');
        writeFileSync(`${this.#options.tempDirectory}/spill`, 'x');
        yield* this.#text(JSON.stringify([process.cwd(), this.#options.tempDirectory, process.pid]));
        return await this.#sleep(Number(first));
      case 'chatter':
        for (let at = 0; at < 1_000; at += 1) process.stderr.write('x'.repeat(100_000));
        return;
      default:
        throw new FrameholdError('sql_invalid', `not a program: ${verb}`);
    }
  }

  progress(): number | null {
    return this.#words[0] === 'slow-rows' ? 0.5 : null;
  }

  interrupt(): void {
    this.#interrupted.reject(new FrameholdError('sql_failed', 'INTERRUPT'));
  }

  async close(): Promise<void> {}

  async *#text(text: string): AsyncGenerator<IpcPiece, void, void> {
    yield pieceOf(text, Buffer.alloc(0));
  }

  #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const sleep = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    return Promise.race([sleep, this.#interrupted.promise]).finally(() => clearTimeout(timer));
  }
}

function pieceOf(header: string, body: Buffer): IpcPiece {
  return { header: encoder.encode(header), body: [body], bodyBytes: body.length, release: () => {} };
}

function target(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

serveStatements({
  warm: async () => {},
  vocabulary: async () => ({
    functions: [{ name: 'rows', kind: 'table', parameters: ['count'], description: 'Some rows.' }],
    keywords: ['WAIT'],
  }),
  begin: async (sql, options) => {
    if (sql === 'not a statement') throw new FrameholdError('sql_invalid', 'It is not a statement.');
    if (sql === 'stuck at the beginning') await new Promise(() => {});
    return new SampleRunner(sql, options);
  },
});
