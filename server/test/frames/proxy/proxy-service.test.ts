/** Queries that are forwarded to the external database: access, limits, and one line in the audit log for each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessGuard } from '../../../src/frames/access/access-guard.ts';
import { Audit } from '../../../src/frames/access/audit.ts';
import { ProxyService } from '../../../src/frames/proxy/proxy-service.ts';
import type { ProxyReceiver } from '../../../src/frames/proxy/upstream-proxy.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { asFrameholdError, type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { TenantSlots } from '../../../src/model/limits/tenant-slots.ts';
import type { Upstream, UpstreamReceiver } from '../../../src/ports/upstream.ts';

const flow = { pause() {}, resume() {} };
const failure = () => new FrameholdError('tsdb_failed', 'cut off');

/** A proxy for one query at a time, before a database that does what the test says. */
function proxyBefore(exec: ((receiver: UpstreamReceiver) => void) | null) {
  const lines: unknown[] = [];
  const received: string[] = [];
  const asked: string[] = [];
  const audit = new Audit((each) => {
    if (each.event === 'audit') lines.push([each.action, each.outcome, each.reason]);
  });
  const slots = new TenantSlots('queries', () => 1);
  const upstream: Pick<Upstream, 'exec'> | null =
    exec === null
      ? null
      : {
          exec(rawQuery, receiver) {
            asked.push(rawQuery);
            exec(receiver);
            return () => asked.push('cancelled');
          },
        };
  const service = new ProxyService({
    upstream,
    access: new AccessGuard(audit),
    audit,
    slots,
  });
  return {
    forward(caller = openCaller, hasLeft = false) {
      const receiver: ProxyReceiver = {
        hasLeft,
        head: (status) => received.push(`head ${status}`),
        data: (chunk) => received.push(Buffer.from(chunk).toString()),
        end: () => received.push('end'),
        failed: ({ kind }) => received.push(`failed ${kind}`),
      };
      return service.forward(caller, 'query=x', receiver);
    },
    lines,
    received,
    asked,
    open: () => slots.count(openCaller.tenant),
  };
}

const isKind = (kind: ErrorKind) => (error: unknown) =>
  error instanceof FrameholdError && error.kind === kind;

test('an answer is passed through, and is one line', () => {
  const proxy = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(200, 'application/json', flow);
    receiver.data(Buffer.from('{'));
    receiver.data(Buffer.from('}'));
    receiver.end();
  });
  proxy.forward();
  assert.deepEqual(proxy.received, ['head 200', '{', '}', 'end']);
  assert.deepEqual(proxy.asked, ['query=x']);
  assert.deepEqual(proxy.lines, [['tsdb.query', 'done', null]]);
  assert.equal(proxy.open(), 0);
});

test('what the database refuses has failed, and its answer is passed through', () => {
  const proxy = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(400, 'application/json', flow);
    receiver.end();
  });
  proxy.forward();
  assert.deepEqual(proxy.received, ['head 400', 'end']);
  assert.deepEqual(proxy.lines, [['tsdb.query', 'failed', 'tsdb_failed']]);
});

test('a failure is one line before the head, and none after it', () => {
  const before = proxyBefore((receiver) => receiver.failed(failure()));
  before.forward();
  assert.deepEqual(before.received, ['failed tsdb_failed']);
  assert.deepEqual(before.lines, [['tsdb.query', 'failed', 'tsdb_failed']]);
  const later = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(200, undefined, flow);
    receiver.failed(failure());
  });
  later.forward();
  assert.deepEqual(later.received, ['head 200', 'failed tsdb_failed']);
  assert.deepEqual(later.lines, [['tsdb.query', 'done', null]]);
  assert.deepEqual([before.open(), later.open()], [0, 0]);
});

test('a caller that leaves frees its slot; before the head nobody knows what was done', () => {
  const waiting = proxyBefore((receiver) => receiver.begin());
  const leave = waiting.forward();
  assert.equal(waiting.open(), 1);
  leave();
  assert.deepEqual([waiting.open(), waiting.lines], [0, [['tsdb.query', 'failed', 'cancelled']]]);
  assert.deepEqual(waiting.asked, ['query=x', 'cancelled']);
  const reading = proxyBefore((receiver) => receiver.head(200, undefined, flow));
  reading.forward()();
  assert.deepEqual([reading.open(), reading.lines], [0, [['tsdb.query', 'done', null]]]);
});

test('a caller that has left already is not forwarded', () => {
  const proxy = proxyBefore(() => assert.fail('was asked'));
  proxy.forward(openCaller, true)();
  assert.deepEqual([proxy.asked, proxy.lines, proxy.open()], [[], [], 0]);
});

test('a credential that ends while the query waits for a connection is refused, and nothing is sent', () => {
  let isCurrent = true;
  const proxy = proxyBefore((receiver) => {
    isCurrent = false;
    try {
      receiver.begin();
      assert.fail('was sent');
    } catch (error) {
      receiver.failed(asFrameholdError(error));
    }
  });
  proxy.forward({ ...openCaller, isCurrent: () => isCurrent });
  assert.deepEqual(proxy.received, ['failed unauthenticated']);
  assert.deepEqual(proxy.lines, [['tsdb.query', 'refused', 'unauthenticated']]);
  assert.equal(proxy.open(), 0);
});

test('access is checked before anything else, then whether there is a database, then the limit', () => {
  const reader = { ...openCaller, scopes: new Set(['read'] as const) };
  const none = proxyBefore(null);
  assert.throws(() => none.forward(reader), isKind('access_denied'));
  assert.throws(() => none.forward(), isKind('tsdb_not_configured'));
  assert.deepEqual(none.lines, [['tsdb.query', 'refused', 'access_denied']]);
  const busy = proxyBefore(() => {});
  const leave = busy.forward();
  assert.throws(() => busy.forward(), isKind('rate_limited'));
  assert.deepEqual(busy.lines, [['tsdb.query', 'refused', 'rate_limited']]);
  leave();
});
