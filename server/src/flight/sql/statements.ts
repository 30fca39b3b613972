import type { MessageInitShape } from '@bufbuild/protobuf';
import { frameHeader } from '../../arrow/ipc/framing.ts';
import { FrameholdError } from '../../frames/errors.ts';
import { randomId } from '../../frames/handle.ts';
import type { StatementParameters } from '../../frames/ports/engine.ts';
import type { Sql, SqlDescription } from '../../frames/sql/sql.ts';
import type { Call } from '../call.ts';
import type { FlightData } from '../flight-data.ts';
import type { FlightDescriptor, FlightInfoSchema } from '../gen/Flight_pb.js';
import { boundParameters, collectParameters, queryParameterBytesMax } from './parameters.ts';
import type { PreparedStatement, PreparedStatements } from './prepared-statements.ts';
import type { ResultSet } from './rows/result-set.ts';
import { schemaOf, smallTable } from './rows/small-table.ts';
import { decodeTicket, encodeTicket, type StatementTicket } from './statement-ticket.ts';

/** Some 100,000 small rows; above that it is slower than ingesting them, and they are held in memory while they run. */
const updateParameterBytesMax = 16 * 1024 * 1024;
/** A statement is executed right after it is prepared, mostly. Later its tables may have other columns, and it is described anew. */
const descriptionFreshMs = 1_000;

type Info = MessageInitShape<typeof FlightInfoSchema>;

/** Statements and prepared statements: what they give, running them, binding parameters. */
export class Statements {
  readonly #sql: Sql;
  readonly #prepared: PreparedStatements;
  readonly #publicUrl: string | null;

  constructor(sql: Sql, prepared: PreparedStatements, publicUrl: string | null) {
    this.#sql = sql;
    this.#prepared = prepared;
    this.#publicUrl = publicUrl;
  }

  /** A query is described and runs when its rows are fetched. A change runs here, once: some clients never fetch what it gives. */
  async flightInfo(sql: string, descriptor: FlightDescriptor, call: Call): Promise<Info> {
    const description = await this.#sql.describe(call.caller, sql, call.signal);
    return this.#infoOf(sql, null, description, descriptor, call);
  }

  async preparedInfo(handle: Uint8Array, descriptor: FlightDescriptor, call: Call): Promise<Info> {
    const statement = this.#prepared.get(call.caller, handle);
    const description = await this.#freshDescription(statement, call);
    return this.#infoOf(statement.sql, statement.parameters, description, descriptor, call);
  }

  async schema(sql: string, call: Call): Promise<Uint8Array> {
    return rowSchema(await this.#sql.describe(call.caller, sql, call.signal));
  }

  async preparedSchema(handle: Uint8Array, call: Call): Promise<Uint8Array> {
    return rowSchema(await this.#freshDescription(this.#prepared.get(call.caller, handle), call));
  }

  async rows(statementHandle: Uint8Array, call: Call): Promise<ResultSet> {
    const ticket = decodeTicket(statementHandle);
    return ticket.kind === 'changed' ? smallTable([], []) : this.#query(ticket, call);
  }

  async preparedRows(handle: Uint8Array, call: Call): Promise<ResultSet> {
    const { sql, parameters } = this.#prepared.get(call.caller, handle);
    return this.#query({ kind: 'query', id: randomId(), sql, parameters }, call);
  }

  /** Runs a change; gives the rows that it put. */
  async update(sql: string, messages: AsyncIterable<FlightData>, call: Call): Promise<number> {
    const sent = await collectParameters(messages, updateParameterBytesMax);
    await call.confirmEnd();
    return this.#change(sql, boundParameters(sent), call);
  }

  async preparedUpdate(handle: Uint8Array, messages: AsyncIterable<FlightData>, call: Call): Promise<number> {
    const { sql, description } = this.#prepared.get(call.caller, handle);
    if (description.isQuery) throw givesRows();
    const sent = await collectParameters(messages, updateParameterBytesMax);
    await call.confirmEnd();
    // Columns and no rows: the statement is to run for each row, of which there are none.
    if (sent.columns > 0 && sent.rows === 0) return 0;
    return this.#change(sql, boundParameters(sent), call);
  }

  async bind(handle: Uint8Array, messages: AsyncIterable<FlightData>, call: Call): Promise<Uint8Array> {
    const statement = this.#prepared.get(call.caller, handle);
    const bytesMax = statement.description.isQuery ? queryParameterBytesMax : updateParameterBytesMax;
    const sent = await collectParameters(messages, bytesMax);
    this.#prepared.bind(statement, boundParameters(sent));
    return handle;
  }

  async prepare(sql: string, call: Call): Promise<PreparedStatement> {
    const description = await this.#sql.describe(call.caller, sql, call.signal);
    return this.#prepared.add(call.caller, sql, description);
  }

  close(handle: Uint8Array, call: Call): void {
    this.#prepared.close(call.caller, handle);
  }

  /** Stops the query of a ticket. Gives false if it does not run: not yet, or no longer. */
  cancel(statementHandle: Uint8Array, call: Call): boolean {
    const ticket = decodeTicket(statementHandle);
    if (ticket.kind === 'changed' || !this.#runs(ticket.id, call)) return false;
    this.#sql.cancel(call.caller, ticket.id);
    return true;
  }

  async #infoOf(
    sql: string,
    parameters: StatementParameters | null,
    description: SqlDescription,
    flightDescriptor: FlightDescriptor,
    call: Call,
  ): Promise<Info> {
    const changed = description.isQuery ? null : await this.#change(sql, parameters, call);
    const ticket: StatementTicket =
      changed === null ? { kind: 'query', id: randomId(), sql, parameters } : { kind: 'changed' };
    // Types of columns may follow those of the parameters, which only running it tells: then the stream's schema is the one.
    const isSchemaKnown = parameters === null || changed !== null;
    return {
      ...(isSchemaKnown ? { schema: frameHeader(rowSchema(description)) } : {}),
      flightDescriptor,
      endpoint: [
        {
          ticket: { ticket: encodeTicket(ticket) },
          location: this.#publicUrl === null ? [] : [{ uri: this.#publicUrl }],
        },
      ],
      totalRecords: BigInt(changed ?? -1),
      totalBytes: -1n,
      ordered: true,
    };
  }

  async #query(ticket: StatementTicket & { readonly kind: 'query' }, call: Call): Promise<ResultSet> {
    const { sql, parameters, id } = ticket;
    // A ticket that is used twice at the same time is two queries; the first one has the ticket's id.
    const ownId = this.#runs(id, call) ? {} : { id };
    const outcome = await this.#sql.execute(
      call.caller,
      { sql, parameters, readOnly: true, ...ownId },
      call.signal,
    );
    if (outcome.kind === 'rows') return outcome;
    throw new Error('a statement that only reads has changed something');
  }

  async #change(sql: string, parameters: StatementParameters | null, call: Call): Promise<number> {
    const outcome = await this.#sql.execute(call.caller, { sql, parameters }, call.signal);
    if (outcome.kind === 'changed') return outcome.rows;
    await outcome.release();
    throw givesRows();
  }

  #runs(id: string, call: Call): boolean {
    return this.#sql.queries(call.caller).some((query) => query.id === id);
  }

  async #freshDescription(statement: PreparedStatement, call: Call): Promise<SqlDescription> {
    if (!statement.description.isQuery || !this.#prepared.isOlderThan(statement, descriptionFreshMs))
      return statement.description;
    const description = await this.#sql.describe(call.caller, statement.sql, call.signal);
    this.#prepared.describe(statement, description);
    return description;
  }
}

/** A change gives no columns and no rows. */
function rowSchema({ schemaMessage }: SqlDescription): Uint8Array {
  return schemaMessage ?? schemaOf([]);
}

function givesRows(): FrameholdError {
  return new FrameholdError('bad_request', 'The statement gives rows; as an update it would give none.', {
    hint: 'Run it as a query.',
  });
}
