import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cutRequest } from '../../../src/http/request/cut-request.ts';
import { receiveBody } from '../../../src/http/request/receive-body.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { eventually } from '../../support/patience.ts';

const limits = { bodyBytesMax: 100_000, bodyIdleMs: 60_000, bodyRateMin: 1 };
const impatient = { ...limits, bodyIdleMs: 200 };
/** The header of a gzip file that has a name. A name that never ends gives no output. */
const endlessName = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);

/** A body that is sent by hand, and what its sink was given. */
function coded(bounds = limits, keepSent = true) {
  const raw = new PassThrough();
  const answer = new EventEmitter() as ServerResponse;
  const taken = { written: 0, sent: 0 };
  const add = (key: keyof typeof taken) => async (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) taken[key] += chunk.byteLength;
  };
  const received = receiveBody(
    { headers: { 'content-encoding': 'gzip' }, raw } as unknown as FastifyRequest,
    { raw: answer } as FastifyReply,
    { write: add('written'), sent: add('sent') },
    bounds,
    keepSent,
  );
  return { raw, answer, taken, received };
}

function isKind(kind: string) {
  return (error: unknown) => error instanceof FrameholdError && error.kind === kind;
}

test('a body that is whole is given as it came and as it is meant', async () => {
  const body = gzipSync(Buffer.alloc(50_000, 'ab'));
  const { raw, taken, received } = coded();
  raw.end(body);
  await received;
  assert.deepEqual(taken, { written: 50_000, sent: body.byteLength });
});

test('what comes after a refusal is read by others, and the sink is given none of it', async () => {
  const { raw, taken, received } = coded(impatient);
  await assert.rejects(received, isKind('request_timeout'));
  // As the answer to a refusal reads the rest of a body.
  let rest = 0;
  raw.on('data', (chunk: Buffer) => {
    rest += chunk.byteLength;
  });
  raw.resume();
  raw.write(endlessName);
  for (let count = 0; count < 10; count++) raw.write(Buffer.alloc(1_000, 'a'));
  await eventually('the rest is read', () => rest === endlessName.byteLength + 10_000);
  assert.deepEqual(taken, { written: 0, sent: 0 });
});

for (const keepSent of [true, false]) {
  test(`bytes that unpack to nothing count too (${keepSent ? 'kept' : 'not kept'})`, async () => {
    const { raw, taken, received } = coded(limits, keepSent);
    raw.write(endlessName);
    for (let count = 0; count < 11; count++) raw.write(Buffer.alloc(10_000, 'a'));
    await assert.rejects(received, isKind('body_too_large'));
    assert.ok(taken.sent <= limits.bodyBytesMax, String(taken.sent));
  });
}

test('a small body that unpacks to more than is taken is refused', async () => {
  const { raw, taken, received } = coded();
  raw.write(gzipSync(Buffer.alloc(1_000_000)));
  await assert.rejects(received, isKind('body_too_large'));
  assert.ok(taken.written <= limits.bodyBytesMax, String(taken.written));
});

test('a body that is cut ends with the reason, whether it is waited for or being written', async () => {
  const reason = new FrameholdError('draining', 'The server is stopping.');
  const waiting = coded();
  cutRequest(waiting.answer, reason);
  await assert.rejects(waiting.received, reason);
  const busy = coded();
  busy.raw.write(gzipSync(Buffer.alloc(50_000, 'ab')));
  await eventually('something was written', () => busy.taken.sent > 0);
  cutRequest(busy.answer, reason);
  await assert.rejects(busy.received, reason);
});
