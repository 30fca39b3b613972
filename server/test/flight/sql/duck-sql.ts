import { MessageReader } from '../../../src/arrow/ipc/message-reader.ts';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import type { Caller } from '../../../src/model/caller.ts';
import type { EngineName } from '../../../src/model/engine-name.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { randomId } from '../../../src/model/handle.ts';
import type { SqlDescription } from '../../../src/ports/prepared-statements.ts';
import type { IpcMessage } from '../../../src/ports/renderer.ts';
import type { QueryState } from '../../../src/ports/running-queries.ts';
import type { Sql, SqlOutcome, SqlRequest, Statement, StatementOptions } from '../../../src/sql/sql.ts';
import { statementOf } from '../../sql/ask.ts';
import { timePasses } from '../../support/passing-time.ts';
import type { FileFrames } from '../file-frames.ts';
import { PyArrowClient } from '../pyarrow-client.ts';

const timings = { queue: 0, prepare: 0 };

const setUp = `
import base64, duckdb
con = duckdb.connect()
state['con'] = con
def encoded(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()
state['encoded'] = encoded
`;

const runStatement = `
import base64, re
con, encoded = state['con'], state['encoded']
for name, path in input['frames'].items():
    con.register(name, pa.ipc.open_stream(path).read_all())
rows = [[]]
if input['parameters']:
    sent = pa.ipc.open_stream(base64.b64decode(input['parameters'])).read_all()
    rows = [list(row.values()) for row in sent.to_pylist()]
if input['isQuery']:
    tables = [con.execute(input['sql'], row).to_arrow_table() for row in rows]
    answer = encoded(pa.concat_tables(tables))
else:
    for row in rows:
        con.execute(input['sql'], row)
    answer = len(rows)
`;

const describeStatement = `
con, encoded = state['con'], state['encoded']
for name, path in input['frames'].items():
    con.register(name, pa.ipc.open_stream(path).read_all())
nothing = [None] * input['parameters']
answer = encoded(con.execute('select * from (' + input['sql'] + ') limit 0', nothing).to_arrow_table())
`;

/** Python's DuckDB over the frames of a test: real statements and real Arrow for the listener's own tests, without the server's engine. */
export class DuckSql implements Sql {
  readonly #frames: FileFrames;
  readonly #python = new PyArrowClient();
  readonly #ready: Promise<unknown>;
  readonly #running = new Map<string, AbortController>();
  /** What was run, and what was described, in order. */
  readonly executed: string[] = [];
  readonly described: string[] = [];
  /** For which engine each was described or run, in order. */
  readonly engines: (EngineName | undefined)[] = [];
  released = 0;

  constructor(frames: FileFrames) {
    this.#frames = frames;
    this.#ready = this.#python.run(setUp);
  }

  prepare(caller: Caller, sql: string, options?: StatementOptions): Statement {
    return statementOf(this, caller, sql, options);
  }

  async describe(
    _caller: Caller,
    sql: string,
    _signal?: AbortSignal,
    engine?: EngineName,
  ): Promise<SqlDescription> {
    this.described.push(sql);
    this.engines.push(engine);
    const parameters = sql.split('?').length - 1;
    const nullable = {
      nullable: true,
      type: { kind: 'null' },
      children: [],
      dictionary: null,
      metadata: [],
    } as const;
    const fields = Array.from({ length: parameters }, (_, index) => ({ ...nullable, name: `$${index + 1}` }));
    const parameterSchemaMessage = encodeSchema({ fields, metadata: [] });
    if (!isQuery(sql)) return { isQuery: false, schemaMessage: null, parameterSchemaMessage };
    const stream = await this.#run(describeStatement, { sql, parameters });
    const { schemaMessage } = await messagesOf(stream as string);
    return { isQuery: true, schemaMessage, parameterSchemaMessage };
  }

  async execute(_caller: Caller, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome> {
    const { sql, parameters, readOnly, id = randomId() } = request;
    if (readOnly === true && !isQuery(sql)) throw new FrameholdError('sql_refused', 'It changes something.');
    this.executed.push(sql);
    this.engines.push(request.engine);
    const stream = parameters?.kind === 'arrow' ? Buffer.from(parameters.stream).toString('base64') : null;
    const answer = await this.#run(runStatement, { sql, parameters: stream, isQuery: isQuery(sql) });
    if (typeof answer === 'number') return { kind: 'changed', id, rows: answer, record: null, timings };
    const { schemaMessage, messages } = await messagesOf(answer as string);
    const stop = new AbortController();
    this.#running.set(id, stop);
    const release = async () => {
      this.released++;
      this.#running.delete(id);
    };
    const isSlow = sql.includes('/* slow */');
    const rows = slowly(messages, isSlow ? 50 : 0, AbortSignal.any([signal, stop.signal]));
    const markedSchemaMessage = schemaMessage;
    const given = { id, schemaMessage, markedSchemaMessage, columns: [], messages: rows };
    return { kind: 'rows', ...given, sources: [], timings, release };
  }

  vocabulary(): Promise<never> {
    return Promise.reject(new Error('nobody asks'));
  }

  async queries(): Promise<readonly QueryState[]> {
    const rest = {
      tenant: 'default',
      engine: 'duckdb',
      state: 'running',
      startedAt: 0,
      elapsedMs: 0,
      progress: null,
      content: null,
    } as const;
    return [...this.#running.keys()].map((id) => ({ id, ...rest }));
  }

  query(): never {
    throw new Error('nobody asks over Flight');
  }

  async cancel(_caller: Caller, id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) throw new FrameholdError('query_not_found', 'There is no such query.');
    running.abort(new FrameholdError('query_cancelled', 'The query was cancelled.'));
  }

  kill(): void {
    this.#python.kill();
  }

  async #run(
    code: string,
    input: { readonly sql: string } & Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    await this.#ready;
    const named = Object.entries(this.#frames.paths()).filter(([name]) => input.sql.includes(name));
    const reply = await this.#python.tryRun(code, { ...input, frames: Object.fromEntries(named) });
    if (reply.error === undefined) return reply.answer;
    throw new FrameholdError('sql_invalid', `${reply.error}: ${reply.message}`);
  }
}

function isQuery(sql: string): boolean {
  return /^\s*(select|with|values|from)\b/i.test(sql);
}

async function* slowly(messages: readonly IpcMessage[], ms: number, signal: AbortSignal) {
  for (const message of messages) {
    signal.throwIfAborted();
    yield message;
    if (ms > 0) await timePasses(ms, 'a slow statement');
  }
  signal.throwIfAborted();
}

async function messagesOf(stream: string) {
  const bytes = Buffer.from(stream, 'base64');
  const reader = new MessageReader({
    read: async (target, position) => bytes.copy(target, 0, position, position + target.length),
  });
  const schema = await reader.next();
  const messages: IpcMessage[] = [];
  for (let message = await reader.next(); message !== null; message = await reader.next())
    messages.push(message);
  if (schema === null) throw new Error('a stream without a schema');
  return { schemaMessage: schema.header, messages };
}
