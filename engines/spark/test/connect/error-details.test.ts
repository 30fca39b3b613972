import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Metadata, status } from '@grpc/grpc-js';
import { GrpcFailure } from '../../src/connect/connect-call.ts';
import { connectErrorOf } from '../../src/connect/error-details.ts';
import { FetchErrorDetailsResponseSchema } from '../../src/connect/gen/spark/connect/base_pb.js';
import { ErrorInfoSchema, StatusSchema } from '../../src/connect/gen/spark/error_info_pb.js';

function failure(code: number, details: string, info?: Record<string, string>): GrpcFailure {
  const metadata = new Metadata();
  if (info !== undefined) {
    const detail = anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: 'x', metadata: info }));
    const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message: details, details: [detail] }));
    metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  }
  return new GrpcFailure({ code, details, metadata });
}

test('what the trailer says is enough if Spark does not answer any more', () => {
  const error = connectErrorOf(
    failure(status.INTERNAL, '[DIVIDE_BY_ZERO] Division by zero.', {
      errorClass: 'DIVIDE_BY_ZERO',
      sqlState: '22012',
      classes: '["org.apache.spark.SparkArithmeticException"]',
    }),
  );
  assert.equal(error.reason, 'spark');
  assert.equal(error.condition, 'DIVIDE_BY_ZERO');
  assert.equal(error.sqlState, '22012');
  assert.deepEqual(error.classes, ['org.apache.spark.SparkArithmeticException']);
  assert.match(error.message, /Division by zero/);
});

test('the named exception beneath an unnamed one gives name and message; a chain in a circle ends', () => {
  const fetched = create(FetchErrorDetailsResponseSchema, {
    rootErrorIdx: 0,
    errors: [
      { message: 'Job aborted', causeIdx: 1, errorTypeHierarchy: ['org.apache.spark.SparkException'] },
      {
        message: '[CAST_INVALID_INPUT] no number',
        causeIdx: 0,
        sparkThrowable: {
          errorClass: 'CAST_INVALID_INPUT',
          sqlState: '22018',
          messageParameters: { expression: "'x'" },
          queryContexts: [{ startIndex: 7, stopIndex: 21, fragment: "cast('x' as int)" }],
        },
      },
    ],
  });
  const error = connectErrorOf(failure(status.INTERNAL, 'Job aborted', { errorId: '1' }), fetched);
  assert.equal(error.condition, 'CAST_INVALID_INPUT');
  assert.equal(error.message, '[CAST_INVALID_INPUT] no number');
  assert.deepEqual(error.causes, ['Job aborted']);
  assert.deepEqual(error.places, [{ start: 7, stop: 21, fragment: "cast('x' as int)", objectType: '' }]);
  assert.equal(error.parameters.get('expression'), "'x'");
});

test('the reason tells a lost session, an interrupted statement, a token and a dead server apart', () => {
  const reasonOf = (code: number, condition?: string) =>
    connectErrorOf(failure(code, 'x', condition === undefined ? undefined : { errorClass: condition }))
      .reason;
  assert.equal(reasonOf(status.INTERNAL, 'INVALID_HANDLE.SESSION_CHANGED'), 'lost');
  assert.equal(reasonOf(status.INTERNAL, 'INVALID_CURSOR.POSITION_NOT_AVAILABLE'), 'lost');
  assert.equal(reasonOf(status.INTERNAL, 'OPERATION_CANCELED'), 'interrupted');
  assert.equal(reasonOf(status.UNAUTHENTICATED), 'unauthenticated');
  assert.equal(reasonOf(status.UNAVAILABLE), 'unreachable');
  assert.equal(reasonOf(status.DEADLINE_EXCEEDED), 'deadline');
  assert.equal(reasonOf(status.UNKNOWN), 'spark');
  assert.equal(reasonOf(status.RESOURCE_EXHAUSTED), 'protocol');
});

test('details that cannot be decoded are as none', () => {
  const broken = failure(status.UNAVAILABLE, 'gone');
  broken.metadata.set('grpc-status-details-bin', Buffer.from([255, 255, 255]));
  assert.equal(connectErrorOf(broken).reason, 'unreachable');
});

test('a batch that is too large for a message is said in plain words', () => {
  const details = 'Received message larger than max (200000000 vs 134217728)';
  const error = connectErrorOf(failure(status.RESOURCE_EXHAUSTED, details));
  assert.equal(error.reason, 'protocol');
  assert.match(error.message, /a batch of rows that is larger than 134217728 bytes/);
});
