/** Queries that are forwarded to the external database: access, limits, and one line in the audit log for each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessGuard } from '../../../src/frames/access/access-guard.ts';
import { Audit } from '../../../src/frames/access/audit.ts';
import { openCaller } from '../../../src/frames/access/caller.ts';
import { asFrameholdError, type ErrorKind, FrameholdError } from '../../../src/frames/errors.ts';
import { TenantPlaces } from '../../../src/frames/limits/tenant-places.ts';
import type { Upstream, UpstreamReceiver } from '../../../src/frames/ports/upstream.ts';
import { ProxyService } from '../../../src/frames/proxy/proxy-service.ts';
import type { ProxyReceiver } from '../../../src/frames/proxy/upstream-proxy.ts';

const flow = { pause() {}, resume() {} };
const failure = () => new FrameholdError('tsdb_failed', 'cut off');

/** A proxy for one query at a time, before a database that does what the test says. */
function proxyBefore(exec: ((receiver: UpstreamReceiver, signal: AbortSignal) => void) | null) {
  const lines: unknown[] = [];
  const received: string[] = [];
  const asked: string[] = [];
  const audit = new Audit((each) => {
    if (each.event === 'audit') lines.push([each.action, each.outcome, each.reason]);
  });
  const places = new TenantPlaces('queries', () => 1);
  const upstream: Pick<Upstream, 'exec'> | null =
    exec === null
      ? null
      : {
          exec(rawQuery, receiver, signal) {
            asked.push(rawQuery);
            exec(receiver, signal);
          },
        };
  const service = new ProxyService({
    upstream,
    access: new AccessGuard(audit),
    audit,
    places,
  });
  const receiver: ProxyReceiver = {
    head: (status) => received.push(`head ${status}`),
    data: (chunk) => received.push(Buffer.from(chunk).toString()),
    end: () => received.push('end'),
    cut: ({ kind }) => received.push(`cut ${kind}`),
  };
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  return {
    forward: (caller = openCaller) => service.forward(caller, 'query=x', receiver, signal),
    abort,
    lines,
    received,
    asked,
    open: () => places.count(openCaller.tenant),
  };
}

const isKind = (kind: ErrorKind) => (error: unknown) =>
  error instanceof FrameholdError && error.kind === kind;

test('an answer is passed through, and is one line', async () => {
  const proxy = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(200, 'application/json', flow);
    receiver.data(Buffer.from('{}'));
    receiver.end();
  });
  await proxy.forward();
  assert.deepEqual(proxy.received, ['head 200', '{}', 'end']);
  assert.deepEqual(proxy.asked, ['query=x']);
  assert.deepEqual(proxy.lines, [['tsdb.query', 'done', null]]);
  assert.equal(proxy.open(), 0);
});

test('what the database refuses has failed, and its answer is passed through', async () => {
  const proxy = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(400, 'application/json', flow);
    receiver.end();
  });
  await proxy.forward();
  assert.deepEqual(proxy.received, ['head 400', 'end']);
  assert.deepEqual(proxy.lines, [['tsdb.query', 'failed', 'tsdb_failed']]);
});

test('a failure before the head is an error, and one after it cuts the answer', async () => {
  const before = proxyBefore((receiver) => receiver.failed(failure()));
  await assert.rejects(before.forward(), isKind('tsdb_failed'));
  assert.deepEqual(before.received, []);
  assert.deepEqual(before.lines, [['tsdb.query', 'failed', 'tsdb_failed']]);
  const later = proxyBefore((receiver) => {
    receiver.begin();
    receiver.head(200, undefined, flow);
    receiver.failed(failure());
  });
  await later.forward();
  assert.deepEqual(later.received, ['head 200', 'cut tsdb_failed']);
  assert.deepEqual(later.lines, [['tsdb.query', 'done', null]]);
  assert.deepEqual([before.open(), later.open()], [0, 0]);
});

test('a caller that leaves frees its place; before the head nobody knows what was done', async () => {
  const waiting = proxyBefore((receiver) => receiver.begin());
  const left = waiting.forward();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(waiting.open(), 1);
  waiting.abort();
  await left;
  assert.deepEqual([waiting.open(), waiting.lines], [0, [['tsdb.query', 'failed', 'cancelled']]]);
  const reading = proxyBefore((receiver) => receiver.head(200, undefined, flow));
  const cut = reading.forward();
  await new Promise((resolve) => setImmediate(resolve));
  reading.abort();
  await cut;
  assert.deepEqual([reading.open(), reading.lines], [0, [['tsdb.query', 'done', null]]]);
});

test('a caller that has left already is not forwarded', async () => {
  const proxy = proxyBefore(() => assert.fail('was asked'));
  proxy.abort();
  await proxy.forward();
  assert.deepEqual([proxy.asked, proxy.lines, proxy.open()], [[], [], 0]);
});

test('a credential that ends while the query waits for a connection is refused, and nothing is sent', async () => {
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
  await assert.rejects(
    proxy.forward({ ...openCaller, isCurrent: () => isCurrent }),
    isKind('unauthenticated'),
  );
  assert.deepEqual(proxy.lines, [['tsdb.query', 'refused', 'unauthenticated']]);
  assert.equal(proxy.open(), 0);
});

test('access is checked before anything else, then whether there is a database, then the limit', async () => {
  const reader = { ...openCaller, scopes: new Set(['read'] as const) };
  const none = proxyBefore(null);
  await assert.rejects(none.forward(reader), isKind('access_denied'));
  await assert.rejects(none.forward(), isKind('tsdb_not_configured'));
  assert.deepEqual(none.lines, [['tsdb.query', 'refused', 'access_denied']]);
  const busy = proxyBefore(() => {});
  const first = busy.forward();
  await assert.rejects(busy.forward(), isKind('rate_limited'));
  assert.deepEqual(busy.lines, [['tsdb.query', 'refused', 'rate_limited']]);
  await new Promise((resolve) => setImmediate(resolve));
  busy.abort();
  await first;
});
