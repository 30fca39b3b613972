import { create, isMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { frameHeader } from '../../arrow/ipc/framing.ts';
import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { Frames } from '../../frames/frames.ts';
import type { Sharing } from '../../frames/sharing/sharing.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { PreparedStatements } from '../../ports/prepared-statements.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Call } from '../call.ts';
import type { FlightData } from '../flight-data.ts';
import type { FlightDescriptor, FlightInfoSchema } from '../gen/Flight_pb.js';
import * as sql from '../gen/FlightSql_pb.js';
import { checkBytes, plainBytesMax } from '../request-bytes.ts';
import { unpackAny } from './any-message.ts';
import { ingest } from './ingest.ts';
import { Metadata } from './metadata/metadata.ts';
import type { ResultSet } from './rows/result-set.ts';
import { schemaOf } from './rows/small-table.ts';
import type { SqlAction } from './sql-actions.ts';
import { Statements } from './statements.ts';
import { refuseTransaction } from './transactions.ts';

export interface FlightSqlOptions {
  readonly serverVersion: string;
  /** Whether the catalog `analytics` is there. */
  readonly hasAnalytics: boolean;
  /** The longest text of a statement; 0 if it is not known. */
  readonly statementBytesMax: number;
}

export interface FlightSqlDependencies {
  readonly sql: Sql;
  readonly prepared: PreparedStatements;
  readonly frames: Frames;
  readonly sharing: Sharing;
  readonly access: AccessGuard;
  readonly publicUrl: string | null;
  readonly connectionsMax: number;
  readonly options: FlightSqlOptions;
}

type Command = { readonly $typeName: string };

/** Flight SQL over Flight's own verbs: which command does what. */
export class FlightSql {
  readonly statements: Statements;
  readonly #frames: Frames;
  readonly #access: AccessGuard;
  readonly #metadata: Metadata;
  readonly #publicUrl: string | null;

  constructor(dependencies: FlightSqlDependencies) {
    const { sql: core, prepared, frames, sharing, access, publicUrl, connectionsMax, options } = dependencies;
    this.statements = new Statements(core, prepared, publicUrl);
    this.#frames = frames;
    this.#access = access;
    const facts = { preparedMax: prepared.countMax, preparedIdleMs: prepared.idleMs };
    this.#metadata = new Metadata({ frames, sharing }, { ...options, connectionsMax, ...facts });
    this.#publicUrl = publicUrl;
  }

  async flightInfo(
    descriptor: FlightDescriptor,
    call: Call,
  ): Promise<MessageInitShape<typeof FlightInfoSchema>> {
    const command = this.#command(descriptor.cmd, call);
    if (isMessage(command, sql.CommandStatementQuerySchema)) {
      refuseTransaction(command.transactionId);
      return this.statements.flightInfo(command.query, descriptor, call);
    }
    if (isMessage(command, sql.CommandPreparedStatementQuerySchema))
      return this.statements.preparedInfo(command.preparedStatementHandle, descriptor, call);
    const { fields } = this.#metadataQuery(command, 'GetFlightInfo');
    return {
      schema: frameHeader(schemaOf(fields)),
      flightDescriptor: descriptor,
      endpoint: [
        {
          // The command is its own ticket: nothing is held until it is fetched.
          ticket: { ticket: descriptor.cmd },
          location: this.#publicUrl === null ? [] : [{ uri: this.#publicUrl }],
        },
      ],
      totalRecords: -1n,
      totalBytes: -1n,
      ordered: true,
    };
  }

  /** The schema message, without framing. */
  async schema(descriptor: FlightDescriptor, call: Call): Promise<Uint8Array> {
    const command = this.#command(descriptor.cmd, call);
    if (isMessage(command, sql.CommandStatementQuerySchema)) {
      refuseTransaction(command.transactionId);
      return this.statements.schema(command.query, call);
    }
    if (isMessage(command, sql.CommandPreparedStatementQuerySchema))
      return this.statements.preparedSchema(command.preparedStatementHandle, call);
    return schemaOf(this.#metadataQuery(command, 'GetSchema').fields);
  }

  async rows(ticket: Uint8Array, call: Call): Promise<ResultSet> {
    const command = this.#command(ticket, call);
    if (isMessage(command, sql.TicketStatementQuerySchema))
      return this.statements.rows(command.statementHandle, call);
    if (isMessage(command, sql.CommandPreparedStatementQuerySchema))
      return this.statements.preparedRows(command.preparedStatementHandle, call);
    return this.#metadataQuery(command, 'DoGet').rows(call);
  }

  /** Takes a DoPut; gives what its result carries. */
  async put(cmd: Uint8Array, messages: AsyncIterable<FlightData>, call: Call): Promise<Uint8Array> {
    const command = this.#command(cmd, call);
    if (isMessage(command, sql.CommandStatementIngestSchema))
      return updateResult(await ingest(command, messages, this.#frames, call));
    if (isMessage(command, sql.CommandStatementUpdateSchema)) {
      refuseTransaction(command.transactionId);
      return updateResult(await this.statements.update(command.query, messages, call));
    }
    if (isMessage(command, sql.CommandPreparedStatementUpdateSchema))
      return updateResult(
        await this.statements.preparedUpdate(command.preparedStatementHandle, messages, call),
      );
    if (isMessage(command, sql.CommandPreparedStatementQuerySchema)) {
      const preparedStatementHandle = await this.statements.bind(
        command.preparedStatementHandle,
        messages,
        call,
      );
      const schema = sql.DoPutPreparedStatementResultSchema;
      return toBinary(schema, create(schema, { preparedStatementHandle }));
    }
    throw notHere(command, 'DoPut');
  }

  /** Runs an action of Flight SQL, or of sessions; null if it gives nothing. */
  act(action: SqlAction, body: Uint8Array, call: Call): Promise<Uint8Array | null> {
    this.#access.check(call.caller, 'server.describe');
    if (action.isLarge !== true) checkBytes('The body of the action', body.length, plainBytesMax);
    return action.run(body, this.statements, call);
  }

  /** Whatever it is about, it is not for the holder of a link; what else it needs is asked where it is done. */
  #command(bytes: Uint8Array, call: Call): Command {
    this.#access.check(call.caller, 'server.describe');
    return unpackAny(bytes);
  }

  #metadataQuery(command: Command, verb: string) {
    const query = this.#metadata.query(command);
    if (query === null) throw notHere(command, verb);
    return query;
  }
}

function updateResult(rows: number): Uint8Array {
  const schema = sql.DoPutUpdateResultSchema;
  return toBinary(schema, create(schema, { recordCount: BigInt(rows) }));
}

function notHere({ $typeName }: Command, verb: string): FrameholdError {
  const name = $typeName.slice($typeName.lastIndexOf('.') + 1);
  const isSubstrait = name.includes('Substrait');
  return new FrameholdError('unimplemented', `${verb} does not take a ${name}.`, {
    hint: isSubstrait
      ? 'Send SQL instead of a Substrait plan.'
      : 'The reference of Flight SQL says which verb does.',
  });
}
