import type { MessageInitShape } from '@bufbuild/protobuf';
import { frameHeader } from '../../arrow/ipc/framing.ts';
import { defaultEngine, type EngineName, engineHeader, parseEngineName } from '../../model/engine-name.ts';
import { FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import type {
  PreparedStatement,
  PreparedStatements,
  SqlDescription,
} from '../../ports/prepared-statements.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Call } from '../call.ts';
import { conditionsOf, refuseConditions } from '../conditions.ts';
import type { FlightData } from '../flight-data.ts';
import type { FlightDescriptor, FlightInfoSchema } from '../gen/Flight_pb.js';
import { queryParameterBytesMax } from '../request-bytes.ts';
import { boundParameters, collectParameters } from './parameters.ts';
import type { ResultSet } from './rows/result-set.ts';
import { schemaOf, smallTable } from './rows/small-table.ts';
import { decodeTicket, encodeTicket, type StatementTicket } from './statement-ticket.ts';

/** Some 100,000 small rows; above that it is slower than ingesting them, and they are held in memory while they run. */
const updateParameterBytesMax = 16 * 1024 * 1024;
/** A statement is executed right after it is prepared, mostly. Later its tables may have other columns, and it is described anew. */
const descriptionFreshMs = 1_000;

const noCondition = 'A query changes nothing: leave the header out.';

type Info = MessageInitShape<typeof FlightInfoSchema>;

/** What runs, and on what. */
interface Asked {
  readonly sql: string;
  readonly engine: EngineName;
  readonly parameters: StatementParameters | null;
}

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
    const engine = engineOf(call);
    const description = await this.#describe(sql, engine, call);
    return this.#infoOf({ sql, engine, parameters: null }, description, descriptor, call);
  }

  async preparedInfo(handle: Uint8Array, descriptor: FlightDescriptor, call: Call): Promise<Info> {
    const statement = await this.#get(handle, call);
    const description = await this.#freshDescription(statement, call);
    return this.#infoOf(statement, description, descriptor, call);
  }

  async schema(sql: string, call: Call): Promise<Uint8Array> {
    return rowSchema(await this.#describe(sql, engineOf(call), call));
  }

  async preparedSchema(handle: Uint8Array, call: Call): Promise<Uint8Array> {
    return rowSchema(await this.#freshDescription(await this.#get(handle, call), call));
  }

  async rows(statementHandle: Uint8Array, call: Call): Promise<ResultSet> {
    const ticket = decodeTicket(statementHandle);
    return ticket.kind === 'changed' ? smallTable([], []) : this.#query(ticket, call);
  }

  async preparedRows(handle: Uint8Array, call: Call): Promise<ResultSet> {
    const { sql, engine, parameters } = await this.#get(handle, call);
    return this.#query({ kind: 'query', id: randomId(), sql, engine, parameters }, call);
  }

  /** Runs a change; gives the rows that it put. */
  async update(sql: string, messages: AsyncIterable<FlightData>, call: Call): Promise<number> {
    const sent = await collectParameters(messages, updateParameterBytesMax);
    await call.confirmEnd();
    return this.#change({ sql, engine: engineOf(call), parameters: boundParameters(sent) }, call);
  }

  async preparedUpdate(handle: Uint8Array, messages: AsyncIterable<FlightData>, call: Call): Promise<number> {
    const { sql, engine, description } = await this.#get(handle, call);
    if (description.isQuery) throw givesRows();
    const sent = await collectParameters(messages, updateParameterBytesMax);
    await call.confirmEnd();
    // Columns and no rows: the statement is to run for each row, of which there are none.
    if (sent.columns > 0 && sent.rows === 0) return 0;
    return this.#change({ sql, engine, parameters: boundParameters(sent) }, call);
  }

  async bind(handle: Uint8Array, messages: AsyncIterable<FlightData>, call: Call): Promise<Uint8Array> {
    const statement = await this.#get(handle, call);
    const bytesMax = statement.description.isQuery ? queryParameterBytesMax : updateParameterBytesMax;
    const sent = await collectParameters(messages, bytesMax);
    await this.#prepared.bind(statement, boundParameters(sent));
    return handle;
  }

  async prepare(sql: string, call: Call): Promise<PreparedStatement> {
    const engine = engineOf(call);
    const description = await this.#describe(sql, engine, call);
    return this.#prepared.add(call.caller.tenant, sql, description, engine);
  }

  close(handle: Uint8Array, call: Call): Promise<void> {
    return this.#prepared.close(call.caller.tenant, handleText(handle));
  }

  /** Stops the query of a ticket. False if it does not run: not yet, or no longer. */
  async cancel(statementHandle: Uint8Array, call: Call): Promise<boolean> {
    const ticket = decodeTicket(statementHandle);
    if (ticket.kind === 'changed') return false;
    try {
      await this.#sql.cancel(call.caller, ticket.id);
      return true;
    } catch (error) {
      if (error instanceof FrameholdError && error.kind === 'query_not_found') return false;
      throw error;
    }
  }

  #describe(sql: string, engine: EngineName, call: Call): Promise<SqlDescription> {
    return this.#sql.prepare(call.caller, sql, { engine }).describe(call.signal);
  }

  #get(handle: Uint8Array, call: Call): Promise<PreparedStatement> {
    return this.#prepared.get(call.caller.tenant, handleText(handle));
  }

  async #infoOf(
    { sql, engine, parameters }: Asked,
    description: SqlDescription,
    flightDescriptor: FlightDescriptor,
    call: Call,
  ): Promise<Info> {
    if (description.isQuery) refuseConditions(call, noCondition);
    const changed = description.isQuery ? null : await this.#change({ sql, engine, parameters }, call);
    const ticket: StatementTicket =
      changed === null ? { kind: 'query', id: randomId(), sql, engine, parameters } : { kind: 'changed' };
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
    refuseConditions(call, noCondition);
    const { sql, engine, parameters, id } = ticket;
    // A ticket that is used twice at the same time is two queries; the first one has the ticket's id.
    const options = { engine, readOnly: true, id, isIdOptional: true };
    const statement = this.#sql.prepare(call.caller, sql, options);
    const outcome = await statement.execute(parameters, call.signal);
    if (outcome.kind === 'rows') return outcome;
    throw new Error('a statement that only reads has changed something');
  }

  async #change(asked: Asked, call: Call): Promise<number> {
    const { sql, engine, parameters } = asked;
    const conditions = conditionsOf(call);
    const options = { engine, ...(conditions === undefined ? {} : { conditions }) };
    const statement = this.#sql.prepare(call.caller, sql, options);
    const outcome = await statement.execute(parameters, call.signal);
    if (outcome.kind === 'changed') return outcome.rows;
    await outcome.release();
    throw givesRows();
  }

  async #freshDescription(statement: PreparedStatement, call: Call): Promise<SqlDescription> {
    if (!statement.description.isQuery || !this.#prepared.isOlderThan(statement, descriptionFreshMs))
      return statement.description;
    const { sql, engine } = statement;
    const description = await this.#describe(sql, engine, call);
    await this.#prepared.describe(statement, description);
    return description;
  }
}

/** Of a statement that is sent with this call. What follows, tickets and prepared statements, remembers it. */
function engineOf(call: Call): EngineName {
  const named = call.header(engineHeader);
  return named === undefined ? defaultEngine : parseEngineName(named);
}

/** Handles are texts of ours; anything else is found nowhere. */
function handleText(handle: Uint8Array): string {
  return Buffer.from(handle).toString('latin1');
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
