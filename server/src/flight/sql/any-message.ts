import {
  create,
  createRegistry,
  type DescMessage,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { AnySchema, anyPack } from '@bufbuild/protobuf/wkt';
import { FrameholdError } from '../../model/errors.ts';
import * as sql from '../gen/FlightSql_pb.js';
import { readMessage } from '../read-message.ts';
import { checkBytes, plainBytesMax } from '../request-bytes.ts';

/** Flight SQL wraps its messages in google.protobuf.Any: commands, tickets, bodies and results of actions. */

const registry = createRegistry(sql.file_FlightSql);
/** What carries a statement, as text or in a ticket: as large as its method takes. */
const withStatement: ReadonlySet<DescMessage> = new Set([
  sql.CommandStatementQuerySchema,
  sql.CommandStatementUpdateSchema,
  sql.TicketStatementQuerySchema,
  sql.ActionCreatePreparedStatementRequestSchema,
  sql.ActionCancelQueryRequestSchema,
]);

/** The first byte of every Any: its field 1, the type. No handle and no JSON begins with it. */
const anyTag = 0x0a;

export function looksLikeAny(bytes: Uint8Array): boolean {
  return bytes[0] === anyTag;
}

/** Any message of Flight SQL, by its `$typeName`. */
export function unpackAny(bytes: Uint8Array): { readonly $typeName: string } {
  let typeUrl: string;
  try {
    const any = readMessage(AnySchema, bytes);
    const schema = registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1));
    if (schema !== undefined) {
      if (!withStatement.has(schema)) checkBytes(`The ${schema.name}`, any.value.length, plainBytesMax);
      return readMessage(schema, any.value);
    }
    typeUrl = any.typeUrl;
  } catch (error) {
    if (error instanceof FrameholdError) throw error;
    throw new FrameholdError('bad_request', 'Not a command of Flight SQL.', {
      hint: whatIsOne,
      cause: error,
    });
  }
  throw new FrameholdError('unimplemented', `There is no command ${shown(typeUrl)}.`, { hint: whatIsOne });
}

const whatIsOne = 'A command is one of Flight SQL, in a google.protobuf.Any, or JSON that begins with {.';

export function packAny<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(AnySchema, anyPack(schema, create(schema, message)));
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 140 ? `${text.slice(0, 140)}…` : text);
}
