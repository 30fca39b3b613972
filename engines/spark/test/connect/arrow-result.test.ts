import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field } from '../../../../server/src/arrow/field.ts';
import { endOfStream } from '../../../../server/src/arrow/ipc/framing.ts';
import {
  arrayOf,
  batchPiece,
  fieldOf,
  int64,
  numbersOf,
  schemaPiece,
  utf8,
} from '../../../../server/test/arrow/hand-made.ts';
import { streamOf } from '../../../../server/test/arrow/stream-bytes.ts';
import { mutateMessages } from '../../../../server/test/fuzz/mutate-messages.ts';
import { seededRandom } from '../../../../server/test/fuzz/seeded-random.ts';
import { ArrowResult } from '../../src/connect/arrow-result.ts';
import { ConnectError } from '../../src/connect/connect-error.ts';

const field = fieldOf(int64);
const schema = { fields: [field], metadata: [] };

function answerOf(...values: number[]): Uint8Array {
  return streamOf([schemaPiece([field]), batchPiece(values.length, [numbersOf(...values)])]);
}

function wrong(message: RegExp) {
  return (thrown: unknown) =>
    thrown instanceof ConnectError && thrown.reason === 'protocol' && message.test(thrown.message);
}

test('the batches of several answers are one result, with their bodies as they came', async () => {
  const result = new ArrowResult(schema);
  const first = result.messagesOf({ data: answerOf(1, 2, 3), rows: 3, firstRow: 0 });
  const second = result.messagesOf({ data: answerOf(4), rows: 1, firstRow: 3 });
  assert.equal(result.rows, 4);
  const bodies = [...first, ...second].map((message) => {
    const body = message.peekBody?.() ?? assert.fail('no body');
    assert.equal(body.length, message.bodyBytes);
    return [...new BigInt64Array(new Uint8Array(body).buffer, 0, 1)];
  });
  assert.deepEqual(bodies, [[1n], [4n]]);
  const target = new Uint8Array(first[0]?.bodyBytes ?? 0);
  await first[0]?.readBody(target);
  assert.deepEqual([...new BigInt64Array(target.buffer, 0, 3)], [1n, 2n, 3n]);
});

test('an answer may begin anywhere in memory, as a message of gRPC does', () => {
  const bytes = answerOf(1, 2);
  for (let shift = 1; shift < 8; shift++) {
    const moved = new Uint8Array(bytes.length + shift);
    moved.set(bytes, shift);
    const [message] = new ArrowResult(schema).messagesOf({
      data: moved.subarray(shift),
      rows: 2,
      firstRow: null,
    });
    assert.equal(message?.bodyBytes, 64);
  }
});

test('an answer without rows gives no batch', () => {
  const result = new ArrowResult(schema);
  assert.deepEqual(result.messagesOf({ data: answerOf(), rows: 0, firstRow: 0 }), []);
  assert.equal(result.rows, 0);
});

test('another number of rows than announced, or rows out of turn, are an error', () => {
  const result = new ArrowResult(schema);
  assert.throws(() => result.messagesOf({ data: answerOf(1), rows: 2, firstRow: 0 }), wrong(/2 rows has 1/));
  assert.throws(() => result.messagesOf({ data: answerOf(1), rows: 1, firstRow: 5 }), wrong(/from 5 on/));
});

test('a result has the schema that was announced, whatever metadata Spark adds', () => {
  const other = (changed: Partial<Field>) => ({ fields: [{ ...field, ...changed }], metadata: [] });
  const answer = { data: answerOf(1), rows: 1, firstRow: 0 };
  for (const changed of [{ name: 'd' }, { nullable: false }, { type: utf8 }])
    assert.throws(
      () => new ArrowResult(other(changed)).messagesOf(answer),
      wrong(/not the one that was announced/),
    );
  const noted = { ...field, metadata: [['SPARK::metadata::json', '{}']] as const };
  const data = streamOf([schemaPiece([noted]), batchPiece(1, [numbersOf(1)])]);
  assert.equal(new ArrowResult(schema).messagesOf({ data, rows: 1, firstRow: 0 }).length, 1);
});

test('a later answer of another schema is an error', () => {
  const result = new ArrowResult(schema);
  result.messagesOf({ data: answerOf(1), rows: 1, firstRow: 0 });
  const renamed = streamOf([schemaPiece([{ ...field, name: 'd' }]), batchPiece(1, [numbersOf(1)])]);
  assert.throws(() => result.messagesOf({ data: renamed, rows: 1, firstRow: 1 }), wrong(/not the one/));
});

test('what is cut, has bytes too many, or describes other columns, is an error', () => {
  const whole = answerOf(1, 2, 3);
  const read = (data: Uint8Array) => () => new ArrowResult(schema).messagesOf({ data, rows: 3, firstRow: 0 });
  for (let length = 0; length < whole.length; length++)
    assert.throws(read(whole.subarray(0, length)), ConnectError);
  assert.throws(read(Buffer.concat([whole, endOfStream])), wrong(/after the end/));
  assert.throws(read(endOfStream), wrong(/without a schema/));
  const twoColumns = batchPiece(3, [numbersOf(1, 2, 3), numbersOf(1, 2, 3)]);
  assert.throws(read(streamOf([schemaPiece([field]), twoColumns])), wrong(/other columns/));
  const shorter = batchPiece(3, [numbersOf(1, 2)]);
  assert.throws(read(streamOf([schemaPiece([field]), shorter])), wrong(/another number of rows/));
  assert.throws(read(streamOf([batchPiece(3, [numbersOf(1, 2, 3)])])), wrong(/begin with its schema/));
  assert.throws(read(streamOf([schemaPiece([field]), schemaPiece([field])])), wrong(/a schema among/));
});

test('changed bytes give a protocol error or batches that lie inside of them', () => {
  const texts = arrayOf({ ...fieldOf(utf8), name: 't' }, 3, [
    Int32Array.of(0, 1, 2, 5),
    Buffer.from('abcde'),
  ]);
  const fields = [field, texts.field];
  const sample = streamOf([schemaPiece(fields), batchPiece(3, [numbersOf(1, 2, 3), texts])]);
  const other = answerOf(9, 9);
  let passed = 0;
  for (let index = 0; index < 5_000; index++) {
    const data = mutateMessages(sample, other, seededRandom(7, index));
    const result = new ArrowResult({ fields, metadata: [] });
    try {
      for (const message of result.messagesOf({ data, rows: 3, firstRow: 0 })) {
        const body = message.peekBody?.() ?? assert.fail('no body');
        assert.ok(body.byteOffset >= data.byteOffset);
        assert.ok(body.byteOffset + body.length <= data.byteOffset + data.length);
        assert.equal(body.length, message.bodyBytes);
      }
      passed++;
    } catch (thrown) {
      assert.ok(thrown instanceof ConnectError && thrown.reason === 'protocol', `case ${index}: ${thrown}`);
    }
  }
  // Some changes are of values only, which nobody looks at here.
  assert.ok(passed > 0 && passed < 5_000, `${passed} passed`);
});
