import { parseMessage } from '../../arrow/ipc/message.ts';
import { parameterTypes, postgresColumns } from '../../encode/postgres/columns.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { PostgresSession, StatementParameters } from '../../ports/engine.ts';
import type { IpcMessage, Renderer } from '../../ports/renderer.ts';
import type { Sql, SqlRows } from '../../sql/sql.ts';
import type { Outbox } from '../protocol/outbox.ts';
import type { ResultColumn } from '../protocol/server-messages.ts';
import { copyOut } from '../protocol/server-messages.ts';
import { columnNames } from '../text/column-names.ts';
import type { CopyOptions } from '../text/command.ts';
import { withHexLiterals } from '../text/hex-literals.ts';
import { withPlaceOfTable } from '../text/place-of-table.ts';
import { StatementRows } from './statement-rows.ts';
import { withNulls, withTypes } from './typed-parameters.ts';

export interface StatementDescription {
  /** null: no rows. */
  readonly columns: readonly ResultColumn[] | null;
  /** OIDs; 0: not known. */
  readonly parameters: readonly number[];
}

export interface StatementRequest {
  readonly caller: Caller;
  readonly text: string;
  readonly parameters: StatementParameters | null;
  /** So that another node can cancel it. */
  readonly id: string;
  readonly session: PostgresSession;
  readonly timeZone: string;
  readonly signal: AbortSignal;
}

type DescribeRequest = Omit<StatementRequest, 'parameters' | 'id' | 'timeZone'>;

/** What the listener asks of SQL. Nothing else in this room calls it. */
export class Statements {
  readonly #sql: Sql;
  readonly #renderer: Renderer;

  constructor(sql: Sql, renderer: Renderer) {
    this.#sql = sql;
    this.#renderer = renderer;
  }

  /** Without running it. `types`: what the client has said of the parameters; 0: nothing. */
  async describe(request: DescribeRequest, types: readonly number[]): Promise<StatementDescription> {
    const found = await this.#described(request, withTypes(withHexLiterals(request.text), types));
    const isTyped = types.length > 0 && types.every((oid) => oid !== 0);
    if (found.columns?.length !== 0 || !isTyped) return found;
    // The engine asks for values before it names the type of `json_object($1, 1)`: nulls of the same types are values.
    const text = withNulls(withHexLiterals(request.text), types);
    const { columns } = await this.#described(request, text).catch((thrown: unknown) => {
      if (thrown instanceof FrameholdError && thrown.kind === 'sql_invalid') return found;
      throw thrown;
    });
    return { ...found, columns };
  }

  async #described(
    { caller, text, session, signal }: DescribeRequest,
    typed: string,
  ): Promise<StatementDescription> {
    const statement = this.#sql.prepare(caller, typed, { readOnly: true, postgres: session });
    const described = await statement
      .describe(signal)
      .catch((thrown: unknown) => {
        throw withPlaceOfTable(thrown, text);
      })
      .finally(() => statement.close());
    const { schemaMessage, parameterSchemaMessage } = described;
    const columns = schemaMessage === null ? null : namedColumns(text, postgresColumns(schemaMessage));
    return { columns, parameters: parameterTypes(parameterSchemaMessage) };
  }

  async rows(request: StatementRequest): Promise<StatementRows> {
    const stop = new AbortController();
    const outcome = await this.#begin(request, stop);
    const { timeZone } = request;
    return new StatementRows(outcome, this.#renderer, {
      columns: namedColumns(request.text, postgresColumns(outcome.schemaMessage)),
      timeZone,
      stop,
    });
  }

  /** Sends a COPY TO STDOUT from its first message to its last but one, and answers the number of rows. */
  async copy(request: StatementRequest, options: CopyOptions, outbox: Outbox): Promise<number> {
    const stop = new AbortController();
    const outcome = await this.#begin(request, stop);
    const { timeZone, signal } = request;
    // The engine works on the first rows while nothing asks the signal.
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      let count = 0;
      const messages = counted(outcome.messages, (rows) => {
        count += rows;
      });
      const names = namedColumns(request.text, postgresColumns(outcome.schemaMessage)).map(
        ({ name }) => name,
      );
      const shape = { writer: 'postgres-copy', ...options, names, timeZone };
      await outbox.send(copyOut(options.format === 'binary' ? 1 : 0, outcome.columns.length));
      for await (const chunk of this.#renderer.renderStream({ ...outcome, messages }, shape, signal))
        await outbox.send(chunk);
      return count;
    } catch (thrown) {
      throw signal.aborted ? signal.reason : thrown;
    } finally {
      signal.removeEventListener('abort', onAbort);
      await outcome.release();
    }
  }

  async #begin(
    { caller, text, parameters, id, session, signal }: StatementRequest,
    stop: AbortController,
  ): Promise<SqlRows> {
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      const options = { readOnly: true, id, isIdOptional: true, postgres: session };
      const outcome = await this.#sql
        .prepare(caller, withHexLiterals(text), options)
        .execute(parameters, stop.signal);
      if (outcome.kind !== 'rows') throw new Error('a statement that only reads has given no rows');
      return outcome;
    } catch (thrown) {
      throw signal.aborted ? signal.reason : withPlaceOfTable(thrown, text);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

async function* counted(
  messages: AsyncIterable<IpcMessage>,
  count: (rows: number) => void,
): AsyncGenerator<IpcMessage, void, void> {
  for await (const message of messages) {
    const parsed = parseMessage(message.header);
    if (parsed.kind === 'record-batch') count(parsed.batch.length);
    yield message;
  }
}

/** As PostgreSQL names them: clients read columns by name. */
function namedColumns(text: string, columns: readonly ResultColumn[]): readonly ResultColumn[] {
  const names = columnNames(
    text,
    columns.map(({ name }) => name),
  );
  return columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
}
