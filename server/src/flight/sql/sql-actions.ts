import {
  create,
  type DescMessage,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { frameHeader } from '../../arrow/ipc/framing.ts';
import { FrameholdError } from '../../model/errors.ts';
import { frameCatalog, frameSchema } from '../../model/sql-names.ts';
import type { Call } from '../call.ts';
import {
  CancelFlightInfoRequestSchema,
  CancelFlightInfoResultSchema,
  CancelStatus,
  CloseSessionResult_Status,
  CloseSessionResultSchema,
  type FlightInfo,
  FlightInfoSchema,
  GetSessionOptionsResultSchema,
  type SessionOptionValue,
  SetSessionOptionsRequestSchema,
  SetSessionOptionsResult_ErrorValue,
  SetSessionOptionsResultSchema,
} from '../gen/Flight_pb.js';
import * as sql from '../gen/FlightSql_pb.js';
import { decodeMessage } from '../method.ts';
import { announcedParameters } from './announced-parameters.ts';
import { looksLikeAny, packAny, unpackAny } from './any-message.ts';
import type { Statements } from './statements.ts';
import { noTransactions, nothingUndone, refuseTransaction } from './transactions.ts';

/** An action of Flight SQL, or of Flight for sessions and cancelling. The result's bytes, or null for none. */
export interface SqlAction {
  readonly description: string;
  /** A FlightInfo, or a statement, may be in its body. Else it has no more than a name and options. */
  readonly isLarge?: true;
  run(body: Uint8Array, statements: Statements, call: Call): Promise<Uint8Array | null>;
}

/** What a session has, and keeps: it cannot be changed. */
const sessionOptions: Readonly<Record<string, string>> = { catalog: frameCatalog, schema: frameSchema };

export const sqlActions: Readonly<Record<string, SqlAction>> = {
  CreatePreparedStatement: {
    description: 'Prepares a statement: ActionCreatePreparedStatementRequest gives its handle and schemas.',
    isLarge: true,
    async run(body, statements, call) {
      const request = unpackAs(sql.ActionCreatePreparedStatementRequestSchema, body);
      refuseTransaction(request.transactionId);
      const { handle, description } = await statements.prepare(request.query, call);
      return packAny(sql.ActionCreatePreparedStatementResultSchema, {
        preparedStatementHandle: Buffer.from(handle),
        // Clients take a statement without a schema for one that changes something.
        ...(description.schemaMessage === null
          ? {}
          : { datasetSchema: frameHeader(description.schemaMessage) }),
        parameterSchema: frameHeader(announcedParameters(description.parameterSchemaMessage)),
      });
    },
  },
  ClosePreparedStatement: {
    description: 'Forgets a prepared statement: ActionClosePreparedStatementRequest gives nothing.',
    async run(body, statements, call) {
      const request = unpackAs(sql.ActionClosePreparedStatementRequestSchema, body);
      await statements.close(request.preparedStatementHandle, call);
      return null;
    },
  },
  CancelFlightInfo: {
    description: 'Stops the query of a FlightInfo: CancelFlightInfoRequest gives CancelFlightInfoResult.',
    isLarge: true,
    async run(body, statements, call) {
      const { info } = decodeMessage(CancelFlightInfoRequestSchema, [body]);
      await cancel(info, statements, call);
      return encode(CancelFlightInfoResultSchema, { status: CancelStatus.CANCELLED });
    },
  },
  CancelQuery: {
    description:
      'The older name of CancelFlightInfo: ActionCancelQueryRequest gives ActionCancelQueryResult.',
    isLarge: true,
    async run(body, statements, call) {
      const { info } = unpackAs(sql.ActionCancelQueryRequestSchema, body);
      await cancel(decodeMessage(FlightInfoSchema, [info]), statements, call);
      return packAny(sql.ActionCancelQueryResultSchema, {
        result: sql.ActionCancelQueryResult_CancelResult.CANCELLED,
      });
    },
  },
  SetSessionOptions: {
    description: `Takes catalog "${frameCatalog}" and schema "${frameSchema}" only; other options come back as errors.`,
    async run(body) {
      const request = decodeMessage(SetSessionOptionsRequestSchema, [body]);
      const errors = Object.entries(request.sessionOptions).flatMap(([name, option]) => {
        const value = optionError(name, option);
        return value === null ? [] : [[name, { value }] as const];
      });
      return encode(SetSessionOptionsResultSchema, { errors: Object.fromEntries(errors) });
    },
  },
  GetSessionOptions: {
    description: 'Gives the catalog and schema in which names are looked up.',
    async run() {
      const options = Object.entries(sessionOptions).map(
        ([name, value]) => [name, { optionValue: { case: 'stringValue' as const, value } }] as const,
      );
      return encode(GetSessionOptionsResultSchema, { sessionOptions: Object.fromEntries(options) });
    },
  },
  CloseSession: {
    description: 'Answers that it is closed: there is nothing to close, calls do not depend on each other.',
    async run() {
      return encode(CloseSessionResultSchema, { status: CloseSessionResult_Status.CLOSED });
    },
  },
  BeginTransaction: transactional('Not offered: each statement takes effect when it is done.'),
  EndTransaction: transactional('Not offered, like BeginTransaction: nothing is undone.', nothingUndone),
  BeginSavepoint: transactional('Not offered, like BeginTransaction.'),
  EndSavepoint: transactional('Not offered, like BeginTransaction: nothing is undone.', nothingUndone),
};

function transactional(description: string, reason = noTransactions): SqlAction {
  return {
    description,
    async run() {
      throw reason();
    },
  };
}

/** Why the option cannot be set, if there is a reason. */
function optionError(
  name: string,
  { optionValue }: SessionOptionValue,
): SetSessionOptionsResult_ErrorValue | null {
  const only = Object.hasOwn(sessionOptions, name) ? sessionOptions[name] : undefined;
  if (only === undefined) return SetSessionOptionsResult_ErrorValue.INVALID_NAME;
  // An option without a value asks for the default, which is the only one.
  if (optionValue.case === undefined) return null;
  const isOurs = optionValue.case === 'stringValue' && optionValue.value.toLowerCase() === only;
  return isOurs ? null : SetSessionOptionsResult_ErrorValue.INVALID_VALUE;
}

/** Stops every query that the info has tickets of. */
async function cancel(info: FlightInfo | undefined, statements: Statements, call: Call): Promise<void> {
  let stopped = 0;
  for (const { ticket } of info?.endpoint ?? []) {
    if (ticket === undefined || !looksLikeAny(ticket.ticket)) continue;
    const content = unpackAny(ticket.ticket);
    if (!isMessage(content, sql.TicketStatementQuerySchema)) continue;
    if (await statements.cancel(content.statementHandle, call)) stopped++;
  }
  if (stopped > 0) return;
  throw new FrameholdError('query_not_found', 'No query of this FlightInfo is running.', {
    hint: 'A query runs from DoGet on until its rows are fetched; before and after there is nothing to stop.',
  });
}

function unpackAs<D extends DescMessage>(schema: D, body: Uint8Array): MessageShape<D> {
  const message = unpackAny(body);
  if (isMessage(message, schema)) return message;
  throw new FrameholdError('bad_request', `The action wants a ${schema.name}.`, {
    hint: 'It is wrapped in a google.protobuf.Any.',
  });
}

function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(schema, create(schema, message));
}
