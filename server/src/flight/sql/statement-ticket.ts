import { defaultEngine, type EngineName, parseEngineName } from '../../model/engine-name.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import { TicketStatementQuerySchema } from '../gen/FlightSql_pb.js';
import { packAny } from './any-message.ts';

/**
 * What DoGet needs to run a query. A ticket carries all of it, so that nothing is held between GetFlightInfo and DoGet, which may
 * never come. It gives no right that sending the text itself does not give.
 */
export type StatementTicket =
  | {
      readonly kind: 'query';
      readonly id: string;
      readonly sql: string;
      readonly engine: EngineName;
      readonly parameters: StatementParameters | null;
    }
  /** A change is done before its ticket is given out. */
  | { readonly kind: 'changed' };

export function encodeTicket(ticket: StatementTicket): Uint8Array {
  const content =
    ticket.kind === 'changed'
      ? {}
      : {
          id: ticket.id,
          sql: ticket.sql,
          parameters: encodeParameters(ticket.parameters),
          ...(ticket.engine === defaultEngine ? {} : { engine: ticket.engine }),
        };
  return packAny(TicketStatementQuerySchema, { statementHandle: Buffer.from(JSON.stringify(content)) });
}

export function decodeTicket(statementHandle: Uint8Array): StatementTicket {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(statementHandle).toString());
  } catch (error) {
    throw notOurs(error);
  }
  if (typeof content !== 'object' || content === null) throw notOurs();
  const { id, sql, parameters, engine = defaultEngine } = content as Partial<Record<string, unknown>>;
  if (sql === undefined) return { kind: 'changed' };
  if (typeof sql !== 'string' || typeof id !== 'string' || typeof engine !== 'string') throw notOurs();
  return {
    kind: 'query',
    id,
    sql,
    engine: parseEngineName(engine),
    parameters: decodeParameters(parameters),
  };
}

function encodeParameters(parameters: StatementParameters | null): string | undefined {
  return parameters?.kind === 'arrow' ? Buffer.from(parameters.stream).toString('base64') : undefined;
}

function decodeParameters(parameters: unknown): StatementParameters | null {
  if (typeof parameters !== 'string') return null;
  return { kind: 'arrow', stream: Buffer.from(parameters, 'base64') };
}

function notOurs(cause?: unknown): FrameholdError {
  return new FrameholdError('bad_request', 'The ticket is not one of this server.', {
    hint: 'Ask GetFlightInfo for one.',
    cause,
  });
}
