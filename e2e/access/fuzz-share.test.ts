import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fuzzGrpc } from '../../server/test/fuzz/wire/grpc-fuzz.ts';
import { fuzzHttp } from '../../server/test/fuzz/wire/http-fuzz.ts';
import { fuzzPgwire } from '../../server/test/fuzz/wire/pgwire-fuzz.ts';
import { type FuzzReport, summary } from '../../server/test/fuzz/wire/wire-run.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';

/** A fixed share of what `npm run fuzz:http`, `fuzz:grpc` and `fuzz:pgwire` do for as long as one likes. */
const cases = inLongRun(20_000, 1_500);
/** A connection of its own for each, most with a log-in. */
const pgwireCases = inLongRun(20_000, 500);
/** Fewer than in a long run: other tests use the same processors. */
const pgwireConcurrency = inLongRun(48, 16);
const seed = 20_261_115;
/** It reaches its level in the first seconds, with every thread started. */
const megabytesMax = 1_200;

test('odd bytes over HTTP: no crash, no hang, no fault, and others are served', async (t) => {
  allIsWell(t, await fuzzHttp({ seed, cases }));
});

test('odd calls and odd frames over gRPC: no crash, no hang, no fault, and others are served', async (t) => {
  allIsWell(t, await fuzzGrpc({ seed, cases }));
});

test('changed exchanges of PostgreSQL: no crash, no hang, no fault, /ping is answered, and memory comes back', async (t) => {
  allIsWell(t, await fuzzPgwire({ seed, cases: pgwireCases, concurrency: pgwireConcurrency }));
});

function allIsWell(t: TestContext, report: FuzzReport): void {
  for (const line of summary(report).split('\n').slice(0, 6)) t.diagnostic(line);
  assert.deepEqual(report.faults, []);
  assert.deepEqual(report.lines, []);
  assert.deepEqual(report.watch.failed, []);
  assert.ok(Math.max(...report.watch.megabytes) < megabytesMax);
}
