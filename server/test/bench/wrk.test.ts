import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrkResult } from '../../../bench/load/wrk.ts';

const output = `Running 4s test @ http://127.0.0.1:9000
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.20ms    1.02ms  20.11ms   78.12%
    Req/Sec     1.25k   101.22     1.50k    70.00%
  Latency Distribution
     50%    3.01ms
     75%    3.80ms
     90%    4.50ms
     99%  812.00us
  9972 requests in 4.01s, 3.21MB read
Requests/sec:   2486.78
Transfer/sec:    819.20KB
`;

test('requests, time and p99 are read from what wrk prints, in any unit', () => {
  assert.deepEqual(wrkResult(output), {
    requests: 9972,
    seconds: 4.01,
    requestsPerSecond: 2486.78,
    p99Ms: 0.812,
    failures: 0,
  });
  assert.equal(wrkResult(output.replace('812.00us', '1.20s')).p99Ms, 1_200);
});

test('answers with another status and broken connections are failures', () => {
  const broken = `${output}  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 10\n`;
  assert.equal(wrkResult(broken).failures, 16);
});
