import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  CancelFlightInfoRequestSchema,
  FlightDescriptorSchema,
  SetSessionOptionsRequestSchema,
} from '../../src/flight/gen/Flight_pb.js';
import { CommandGetSqlInfoSchema } from '../../src/flight/gen/FlightSql_pb.js';
import { HealthCheckRequestSchema } from '../../src/flight/gen/health_pb.js';
import { readMessage } from '../../src/flight/read-message.ts';

const many = 10_001;
const texts = (count: number) => Array.from({ length: count }, () => '');

test('what a client means is read', () => {
  const descriptor = toBinary(FlightDescriptorSchema, create(FlightDescriptorSchema, { path: texts(9_999) }));
  assert.equal(readMessage(FlightDescriptorSchema, descriptor).path.length, 9_999);
  const options = create(SetSessionOptionsRequestSchema, {
    sessionOptions: {
      a: { optionValue: { case: 'stringListValue', value: { values: ['x', 'y'] } } },
      b: { optionValue: { case: 'boolValue', value: true } },
    },
  });
  assert.deepEqual(
    readMessage(SetSessionOptionsRequestSchema, toBinary(SetSessionOptionsRequestSchema, options)),
    options,
  );
});

test('fields that nobody knows are not kept', () => {
  const bytes = new BinaryWriter().tag(99, WireType.Varint).uint32(1).finish();
  assert.equal(readMessage(HealthCheckRequestSchema, bytes).$unknown, undefined);
});

const bombs = {
  'unknown fields': [HealthCheckRequestSchema, Buffer.alloc(2 * many, Buffer.of(0x10, 0))],
  'known fields': [
    FlightDescriptorSchema,
    toBinary(FlightDescriptorSchema, create(FlightDescriptorSchema, { path: texts(many) })),
  ],
  'fields of a message in it': [
    CancelFlightInfoRequestSchema,
    toBinary(
      CancelFlightInfoRequestSchema,
      create(CancelFlightInfoRequestSchema, { info: { flightDescriptor: { path: texts(many) } } }),
    ),
  ],
  'a list in the values of a map': [
    SetSessionOptionsRequestSchema,
    toBinary(
      SetSessionOptionsRequestSchema,
      create(SetSessionOptionsRequestSchema, {
        sessionOptions: { a: { optionValue: { case: 'stringListValue', value: { values: texts(many) } } } },
      }),
    ),
  ],
  'entries of a map': [SetSessionOptionsRequestSchema, Buffer.alloc(2 * many, Buffer.of(0x0a, 0))],
  'numbers in one field': [
    CommandGetSqlInfoSchema,
    toBinary(
      CommandGetSqlInfoSchema,
      create(CommandGetSqlInfoSchema, { info: Array.from({ length: many }, () => 1) }),
    ),
  ],
} as const;
for (const [what, [schema, bytes]] of Object.entries(bombs)) {
  test(`too many ${what} are refused before anything is made of them`, () => {
    assert.throws(() => readMessage(schema, bytes), /more than 10000 fields/);
  });
}

test('groups are refused, and what is cut off', () => {
  assert.throws(() => readMessage(HealthCheckRequestSchema, Buffer.alloc(100_000, 0x0b)), /a group/);
  assert.throws(() => readMessage(HealthCheckRequestSchema, Buffer.of(0x0a, 5, 1)));
  assert.throws(() => readMessage(HealthCheckRequestSchema, Buffer.of(0x10)));
});
