import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  ActionSchema,
  FlightDescriptor_DescriptorType as DescriptorType,
  FlightDescriptorSchema,
  SetSessionOptionsRequestSchema,
  TicketSchema,
} from '../../src/flight/gen/Flight_pb.js';
import * as sql from '../../src/flight/gen/FlightSql_pb.js';
import { grpcMessageOf } from '../../src/flight/grpc-message.ts';
import { packAny } from '../../src/flight/sql/any-message.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { Harness } from './harness.ts';
import { flightService, RawCall } from './raw-call.ts';

const statementBytesMax = 256 * 1024;
const megabytes = 9_000_000;
/** The credential is the scope. */
const scopedAuthenticator: Authenticator = {
  ...openAuthenticator,
  isOpen: false,
  authenticate: (credentials, visit) => {
    const scope = credentials.authorization?.replace('Bearer ', '') as Scope;
    return { ...openAuthenticator.authenticate(credentials, visit), scopes: new Set([scope]) } as ReturnType<
      Authenticator['authenticate']
    >;
  },
};

let harness: Harness;
before(async () => {
  harness = await Harness.start({ sql: { statementBytesMax } }, undefined, scopedAuthenticator);
});
after(() => harness[Symbol.asyncDispose]());

interface Answer {
  readonly status: string;
  readonly message: string;
}

async function ask(scope: Scope, method: string, message: Uint8Array): Promise<Answer> {
  const authorization = `Bearer ${scope}`;
  const call = new RawCall(harness.listener.address, flightService(method), { authorization });
  call.stream.end(grpcMessageOf(message));
  const headers = await call.status();
  return {
    status: String(headers['grpc-status']),
    message: decodeURIComponent(String(headers['grpc-message'] ?? '')),
  };
}

function encoded<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(schema, create(schema, message));
}
const ticketOf = (ticket: Uint8Array) => encoded(TicketSchema, { ticket });
const commandOf = (cmd: Uint8Array) => encoded(FlightDescriptorSchema, { type: DescriptorType.CMD, cmd });
const tablesLike = (pattern: string) =>
  packAny(sql.CommandGetTablesSchema, { tableNameFilterPattern: pattern });
const [invalidArgument, permissionDenied, resourceExhausted] = ['3', '7', '8'];

/** What is too large for what it is, and the limit that the answer names. */
const tooLarge: Readonly<Record<string, readonly [string, Uint8Array, string, string]>> = {
  'a ticket of 9 MB': [
    'DoGet',
    ticketOf(Buffer.alloc(megabytes, 'x')),
    resourceExhausted,
    'up to \\d{7} bytes',
  ],
  'a handle of 2 kB': ['DoGet', ticketOf(Buffer.alloc(2_000, 'x')), invalidArgument, 'at most 1024'],
  'a pattern of 9 MB': [
    'GetFlightInfo',
    commandOf(tablesLike('%a'.repeat(megabytes / 2))),
    resourceExhausted,
    'up to 327680 bytes',
  ],
  'a pattern of 100 kB': [
    'GetFlightInfo',
    commandOf(tablesLike('%a'.repeat(50_000))),
    resourceExhausted,
    'at most 65536',
  ],
  'a pattern of 2 kB': ['DoGet', ticketOf(tablesLike('%a'.repeat(1_000))), invalidArgument, 'at most 1024'],
  'a prefix of 100 kB': ['ListFlights', Buffer.alloc(100_000), resourceExhausted, 'up to 65536 bytes'],
  'a prepared handle of 100 kB': [
    'DoGet',
    ticketOf(
      packAny(sql.CommandPreparedStatementQuerySchema, { preparedStatementHandle: Buffer.alloc(100_000) }),
    ),
    resourceExhausted,
    'at most 65536',
  ],
  'session options of 100 kB': [
    'DoAction',
    encoded(ActionSchema, {
      type: 'SetSessionOptions',
      body: encoded(SetSessionOptionsRequestSchema, {
        sessionOptions: { a: { optionValue: { case: 'stringValue', value: 'x'.repeat(100_000) } } },
      }),
    }),
    resourceExhausted,
    'at most 65536',
  ],
};

for (const [what, [method, message, status, limit]] of Object.entries(tooLarge)) {
  test(`${what} is refused, and the limit named`, async () => {
    const answer = await ask('read', method, message);
    assert.equal(answer.status, status, answer.message);
    assert.match(answer.message, new RegExp(limit));
  });
}

for (const [what, [method, message]] of Object.entries(tooLarge)) {
  if (message.length <= 65_536) continue;
  test(`${what} is not looked at for a caller without the scope read`, async () => {
    const answer = await ask('metrics', method, message);
    assert.equal(answer.status, permissionDenied, answer.message);
  });
}

test('a statement as long as statements may be passes, in a descriptor and in a ticket', async () => {
  const query = `select '${'"'.repeat(statementBytesMax - 9)}'`;
  const handle = Buffer.from(JSON.stringify({ id: 'x', sql: query }));
  const answers = [
    await ask('read', 'GetFlightInfo', commandOf(packAny(sql.CommandStatementQuerySchema, { query }))),
    await ask(
      'read',
      'DoGet',
      ticketOf(packAny(sql.TicketStatementQuerySchema, { statementHandle: handle })),
    ),
  ];
  // The harness has no SQL: its own error says that the statement came through.
  for (const { status, message } of answers) assert.equal(status, '13', message);
});
